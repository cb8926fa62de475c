// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// The half is added, less one for negative numbers.
// CHECK-LABEL: func.func @biased(
func.func @biased(%x: i16) -> i17 {
  // CHECK: %r = arith.shrsi {{.*}} {tensorlift.round = {mode = "half_away", signed = true, width = 16 : i64, shift = 4 : i64}} : i17
  %half = arith.constant 8 : i17
  %less = arith.constant 7 : i17
  %zero = arith.constant 0 : i16
  %four = arith.constant 4 : i17
  %w = arith.extsi %x : i16 to i17
  %negative = arith.cmpi slt, %x, %zero : i16
  %bias = arith.select %negative, %less, %half : i17
  %s = arith.addi %w, %bias : i17
  %r = arith.shrsi %s, %four : i17
  func.return %r : i17
}

// The magnitude is rounded and the sign put back.
// CHECK-LABEL: func.func @magnitude(
func.func @magnitude(%x: i16) -> i17 {
  // CHECK: %r = arith.select {{.*}} {tensorlift.round = {mode = "half_away", signed = true, width = 16 : i64, shift = 4 : i64}} : i17
  %half = arith.constant 8 : i17
  %zero16 = arith.constant 0 : i16
  %zero = arith.constant 0 : i17
  %four = arith.constant 4 : i17
  %w = arith.extsi %x : i16 to i17
  %negative = arith.cmpi slt, %x, %zero16 : i16
  %m = arith.subi %zero, %w : i17
  %abs = arith.select %negative, %m, %w : i17
  %s = arith.addi %abs, %half : i17
  %q = arith.shrui %s, %four : i17
  %n = arith.subi %zero, %q : i17
  %r = arith.select %negative, %n, %q : i17
  func.return %r : i17
}

// The bias of the other sign: halves go towards zero, which is no mode of ours.
// CHECK-LABEL: func.func @exchanged(
func.func @exchanged(%x: i16) -> i17 {
  // CHECK-NOT: tensorlift
  // CHECK: return
  %half = arith.constant 8 : i17
  %less = arith.constant 7 : i17
  %zero = arith.constant 0 : i16
  %four = arith.constant 4 : i17
  %w = arith.extsi %x : i16 to i17
  %negative = arith.cmpi slt, %x, %zero : i16
  %bias = arith.select %negative, %half, %less : i17
  %s = arith.addi %w, %bias : i17
  %r = arith.shrsi %s, %four : i17
  func.return %r : i17
}
