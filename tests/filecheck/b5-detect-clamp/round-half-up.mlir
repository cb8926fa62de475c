// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// CHECK-LABEL: func.func @half_up(
func.func @half_up(%x: i16) -> i17 {
  // CHECK: arith.shrsi {{.*}} {tensorlift.round = {mode = "half_up", signed = true, width = 16 : i64, shift = 4 : i64}} : i17
  %half = arith.constant 8 : i17
  %four = arith.constant 4 : i17
  %w = arith.extsi %x : i16 to i17
  %s = arith.addi %w, %half : i17
  %r = arith.shrsi %s, %four : i17
  func.return %r : i17
}

// A rounding constant off by one.
// CHECK-LABEL: func.func @off_by_one(
func.func @off_by_one(%x: i16) -> i17 {
  // CHECK-NOT: tensorlift
  // CHECK: return
  %half = arith.constant 7 : i17
  %four = arith.constant 4 : i17
  %w = arith.extsi %x : i16 to i17
  %s = arith.addi %w, %half : i17
  %r = arith.shrsi %s, %four : i17
  func.return %r : i17
}

// The bit below the last one kept is added; the sum is a part-select and an addition with carry in.
// CHECK-LABEL: func.func @carry_in(
func.func @carry_in(%x: i16) -> i12 {
  // CHECK: %r = arith.addi {{.*}} {tensorlift.round = {mode = "half_up", signed = true, width = 16 : i64, shift = 4 : i64}} : i12
  %c3 = arith.constant 3 : i16
  %c4 = arith.constant 4 : i16
  %k = arith.shrui %x, %c4 : i16
  %kept = arith.trunci %k : i16 to i12
  %g = arith.shrui %x, %c3 : i16
  %guard = arith.trunci %g : i16 to i1
  %bit = arith.extui %guard : i1 to i12
  %r = arith.addi %kept, %bit : i12
  func.return %r : i12
}

// An added half, and the upper bits of the sum.
// CHECK-LABEL: func.func @part_select(
func.func @part_select(%x: i16) -> i13 {
  // CHECK: %r = arith.trunci {{.*}} {tensorlift.round = {mode = "half_up", signed = true, width = 16 : i64, shift = 4 : i64}} : i17 to i13
  %half = arith.constant 8 : i17
  %four = arith.constant 4 : i17
  %w = arith.extsi %x : i16 to i17
  %s = arith.addi %w, %half : i17
  %h = arith.shrui %s, %four : i17
  %r = arith.trunci %h : i17 to i13
  func.return %r : i13
}

// CHECK-LABEL: func.func @unsigned(
func.func @unsigned(%x: i16) -> i17 {
  // CHECK: %r = arith.shrui {{.*}} {tensorlift.round = {mode = "half_up", signed = false, width = 16 : i64, shift = 4 : i64}} : i17
  %half = arith.constant 8 : i17
  %four = arith.constant 4 : i17
  %w = arith.extui %x : i16 to i17
  %s = arith.addi %w, %half : i17
  %r = arith.shrui %s, %four : i17
  func.return %r : i17
}

// CHECK-LABEL: func.func @variable(
func.func @variable(%x: i16, %s: i4) -> i17 {
  // CHECK: %r = arith.addi {{.*}} {tensorlift.round = {mode = "half_up", signed = true, width = 16 : i64}} : i17
  %one = arith.constant 1 : i4
  %zero = arith.constant 0 : i4
  %w = arith.extsi %x : i16 to i17
  %by = arith.extui %s : i4 to i17
  %kept = arith.shrsi %w, %by : i17
  %less = arith.subi %s, %one : i4
  %lw = arith.extui %less : i4 to i17
  %g = arith.shrui %w, %lw : i17
  %guard = arith.trunci %g : i17 to i1
  %shifted = arith.cmpi ne, %s, %zero : i4
  %up = arith.andi %guard, %shifted : i1
  %bit = arith.extui %up : i1 to i17
  %r = arith.addi %kept, %bit : i17
  func.return %r : i17
}

// The sum has no bit to spare: near the greatest number it overflows.
// CHECK-LABEL: func.func @overflows(
func.func @overflows(%x: i16) -> i16 {
  // CHECK-NOT: tensorlift
  // CHECK: return
  %half = arith.constant 8 : i16
  %four = arith.constant 4 : i16
  %s = arith.addi %x, %half : i16
  %r = arith.shrsi %s, %four : i16
  func.return %r : i16
}

// An arithmetic shift alone rounds nothing.
// CHECK-LABEL: func.func @floor(
func.func @floor(%x: i16, %y: i16) -> i16 {
  // CHECK-NOT: tensorlift
  // CHECK: return
  %four = arith.constant 4 : i16
  %a = arith.shrsi %x, %four : i16
  %r = arith.addi %a, %y : i16
  func.return %r : i16
}
