// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// First one, then the other.
// CHECK-LABEL: func.func @one_after_the_other(
func.func @one_after_the_other(%x: i32) -> i8 {
  // CHECK: %q = arith.shrsi {{.*}} {tensorlift.round = {mode = "half_up", signed = true, width = 32 : i64, shift = 4 : i64}} : i33
  // CHECK: %r = arith.trunci {{.*}} {tensorlift.clamp = {low = -128 : i64, high = 127 : i64, signed = true, width = 33 : i64}} : i33 to i8
  %half = arith.constant 8 : i33
  %four = arith.constant 4 : i33
  %hi = arith.constant 127 : i33
  %lo = arith.constant -128 : i33
  %w = arith.extsi %x : i32 to i33
  %s = arith.addi %w, %half : i33
  %q = arith.shrsi %s, %four : i33
  %above = arith.cmpi sgt, %q, %hi : i33
  %below = arith.cmpi slt, %q, %lo : i33
  %a = arith.select %below, %lo, %q : i33
  %b = arith.select %above, %hi, %a : i33
  %r = arith.trunci %b : i33 to i8
  func.return %r : i8
}

// The quotient is nowhere: bits of the sum are taken and tested.
// CHECK-LABEL: func.func @in_one(
func.func @in_one(%x: i16) -> i8 {
  // CHECK: %r = arith.select {{.*}} {tensorlift.round = {mode = "half_up", signed = true, width = 16 : i64, shift = 4 : i64}, tensorlift.clamp = {low = -128 : i64, high = 127 : i64, signed = true, width = 16 : i64}} : i8
  %half = arith.constant 8 : i17
  %c4 = arith.constant 4 : i17
  %c11 = arith.constant 11 : i17
  %c16 = arith.constant 16 : i17
  %zero = arith.constant 0 : i6
  %ones = arith.constant -1 : i6
  %max = arith.constant 127 : i8
  %min = arith.constant -128 : i8
  %w = arith.extsi %x : i16 to i17
  %s = arith.addi %w, %half : i17
  %h = arith.shrui %s, %c11 : i17
  %top = arith.trunci %h : i17 to i6
  %none = arith.cmpi eq, %top, %zero : i6
  %all = arith.cmpi eq, %top, %ones : i6
  %fits = arith.ori %none, %all : i1
  %g = arith.shrui %s, %c16 : i17
  %sign = arith.trunci %g : i17 to i1
  %m = arith.shrui %s, %c4 : i17
  %low = arith.trunci %m : i17 to i8
  %bound = arith.select %sign, %min, %max : i8
  %r = arith.select %fits, %low, %bound : i8
  func.return %r : i8
}

// Bits of the number itself: it is shifted, which rounds down, and bounded.
// CHECK-LABEL: func.func @shifted(
func.func @shifted(%x: i16) -> i8 {
  // CHECK: %r = arith.select {{.*}} {tensorlift.clamp = {low = -128 : i64, high = 127 : i64, signed = true, width = 16 : i64, shift = 4 : i64}} : i8
  %c4 = arith.constant 4 : i16
  %c11 = arith.constant 11 : i16
  %c15 = arith.constant 15 : i16
  %zero = arith.constant 0 : i5
  %ones = arith.constant -1 : i5
  %max = arith.constant 127 : i8
  %min = arith.constant -128 : i8
  %h = arith.shrui %x, %c11 : i16
  %top = arith.trunci %h : i16 to i5
  %none = arith.cmpi eq, %top, %zero : i5
  %all = arith.cmpi eq, %top, %ones : i5
  %fits = arith.ori %none, %all : i1
  %g = arith.shrui %x, %c15 : i16
  %sign = arith.trunci %g : i16 to i1
  %m = arith.shrui %x, %c4 : i16
  %low = arith.trunci %m : i16 to i8
  %bound = arith.select %sign, %min, %max : i8
  %r = arith.select %fits, %low, %bound : i8
  func.return %r : i8
}

// The sign bit of the result is not among the bits tested.
// CHECK-LABEL: func.func @one_bit_short(
func.func @one_bit_short(%x: i16) -> i8 {
  // CHECK-NOT: tensorlift
  // CHECK: return
  %c4 = arith.constant 4 : i16
  %c12 = arith.constant 12 : i16
  %c15 = arith.constant 15 : i16
  %zero = arith.constant 0 : i4
  %ones = arith.constant -1 : i4
  %max = arith.constant 127 : i8
  %min = arith.constant -128 : i8
  %h = arith.shrui %x, %c12 : i16
  %top = arith.trunci %h : i16 to i4
  %none = arith.cmpi eq, %top, %zero : i4
  %all = arith.cmpi eq, %top, %ones : i4
  %fits = arith.ori %none, %all : i1
  %g = arith.shrui %x, %c15 : i16
  %sign = arith.trunci %g : i16 to i1
  %m = arith.shrui %x, %c4 : i16
  %low = arith.trunci %m : i16 to i8
  %bound = arith.select %sign, %min, %max : i8
  %r = arith.select %fits, %low, %bound : i8
  func.return %r : i8
}
