// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// Overflow of a sum of the same width: the operands have one sign and the sum the other.
// CHECK-LABEL: func.func @by_signs(
func.func @by_signs(%a: i8, %b: i8) -> i8 {
  // CHECK: %r = arith.select {{.*}} {tensorlift.clamp = {low = -128 : i64, high = 127 : i64, signed = true, width = 9 : i64, of = "sum"}} : i8
  %zero = arith.constant 0 : i8
  %max = arith.constant 127 : i8
  %min = arith.constant -128 : i8
  %true = arith.constant true
  %s = arith.addi %a, %b : i8
  %sa = arith.cmpi slt, %a, %zero : i8
  %sb = arith.cmpi slt, %b, %zero : i8
  %ss = arith.cmpi slt, %s, %zero : i8
  %differ = arith.xori %sa, %sb : i1
  %same = arith.xori %differ, %true : i1
  %turned = arith.xori %sa, %ss : i1
  %over = arith.andi %same, %turned : i1
  %bound = arith.select %sa, %min, %max : i8
  %r = arith.select %over, %bound, %s : i8
  func.return %r : i8
}

// The carries into and out of the sign differ.
// CHECK-LABEL: func.func @by_carries(
func.func @by_carries(%a: i8, %b: i8) -> i8 {
  // CHECK: %r = arith.select {{.*}} {tensorlift.clamp = {low = -128 : i64, high = 127 : i64, signed = true, width = 9 : i64, of = "sum"}} : i8
  %max = arith.constant 127 : i8
  %min = arith.constant -128 : i8
  %c7 = arith.constant 7 : i8
  %c8 = arith.constant 8 : i9
  %al = arith.trunci %a : i8 to i7
  %bl = arith.trunci %b : i8 to i7
  %ax = arith.extui %al : i7 to i8
  %bx = arith.extui %bl : i7 to i8
  %lows = arith.addi %ax, %bx : i8
  %in0 = arith.shrui %lows, %c7 : i8
  %in = arith.trunci %in0 : i8 to i1
  %aw = arith.extui %a : i8 to i9
  %bw = arith.extui %b : i8 to i9
  %w = arith.addi %aw, %bw : i9
  %out0 = arith.shrui %w, %c8 : i9
  %out = arith.trunci %out0 : i9 to i1
  %over = arith.xori %in, %out : i1
  %bound = arith.select %out, %min, %max : i8
  %s = arith.trunci %w : i9 to i8
  %r = arith.select %over, %bound, %s : i8
  func.return %r : i8
}

// An adder of one more bit: the two highest bits differ.
// CHECK-LABEL: func.func @wider_adder(
func.func @wider_adder(%a: i8, %b: i8) -> i8 {
  // CHECK: %r = arith.select {{.*}} {tensorlift.clamp = {low = -128 : i64, high = 127 : i64, signed = true, width = 9 : i64}} : i8
  %max = arith.constant 127 : i8
  %min = arith.constant -128 : i8
  %c7 = arith.constant 7 : i9
  %c8 = arith.constant 8 : i9
  %aw = arith.extsi %a : i8 to i9
  %bw = arith.extsi %b : i8 to i9
  %w = arith.addi %aw, %bw : i9
  %h = arith.shrui %w, %c8 : i9
  %sign = arith.trunci %h : i9 to i1
  %g = arith.shrui %w, %c7 : i9
  %top = arith.trunci %g : i9 to i1
  %over = arith.xori %sign, %top : i1
  %bound = arith.select %sign, %min, %max : i8
  %s = arith.trunci %w : i9 to i8
  %r = arith.select %over, %bound, %s : i8
  func.return %r : i8
}

// The carry of an unsigned sum.
// CHECK-LABEL: func.func @unsigned_sum(
func.func @unsigned_sum(%a: i8, %b: i8) -> i8 {
  // CHECK: %r = arith.select {{.*}} {tensorlift.clamp = {low = 0 : i64, high = 255 : i64, signed = false, width = 9 : i64, of = "sum"}} : i8
  %max = arith.constant -1 : i8
  %s = arith.addi %a, %b : i8
  %over = arith.cmpi ult, %s, %a : i8
  %r = arith.select %over, %max, %s : i8
  func.return %r : i8
}

// An unsigned difference that stops at zero.
// CHECK-LABEL: func.func @unsigned_difference(
func.func @unsigned_difference(%a: i8, %b: i8) -> i8 {
  // CHECK: %r = arith.select {{.*}} {tensorlift.clamp = {low = 0 : i64, high = 255 : i64, signed = false, width = 9 : i64, of = "difference"}} : i8
  %zero = arith.constant 0 : i8
  %d = arith.subi %a, %b : i8
  %under = arith.cmpi ult, %a, %b : i8
  %r = arith.select %under, %zero, %d : i8
  func.return %r : i8
}

// The bounds exchanged.
// CHECK-LABEL: func.func @exchanged(
func.func @exchanged(%a: i8, %b: i8) -> i8 {
  // CHECK-NOT: tensorlift
  // CHECK: return
  %zero = arith.constant 0 : i8
  %max = arith.constant 127 : i8
  %min = arith.constant -128 : i8
  %true = arith.constant true
  %s = arith.addi %a, %b : i8
  %sa = arith.cmpi slt, %a, %zero : i8
  %sb = arith.cmpi slt, %b, %zero : i8
  %ss = arith.cmpi slt, %s, %zero : i8
  %differ = arith.xori %sa, %sb : i1
  %same = arith.xori %differ, %true : i1
  %turned = arith.xori %sa, %ss : i1
  %over = arith.andi %same, %turned : i1
  %bound = arith.select %sa, %max, %min : i8
  %r = arith.select %over, %bound, %s : i8
  func.return %r : i8
}

// The carry of the sum of unsigned numbers says nothing about signed ones.
// CHECK-LABEL: func.func @carry_taken_for_overflow(
func.func @carry_taken_for_overflow(%a: i8, %b: i8) -> i8 {
  // CHECK-NOT: tensorlift
  // CHECK: return
  %zero = arith.constant 0 : i8
  %max = arith.constant 127 : i8
  %min = arith.constant -128 : i8
  %s = arith.addi %a, %b : i8
  %sa = arith.cmpi slt, %a, %zero : i8
  %over = arith.cmpi ult, %s, %a : i8
  %bound = arith.select %sa, %min, %max : i8
  %r = arith.select %over, %bound, %s : i8
  func.return %r : i8
}
