// RUN: tensorlift-opt %s -p b3-detect-mac | filecheck %s


// (a - z) * b, unsigned a and z, signed b.
// CHECK-LABEL: func.func @zero_point(
func.func @zero_point(%a: i8, %z: i8, %b: i8, %c: i32) -> i32 {
  // CHECK: tensorlift.mac = {product = 0 : i64, a_width = 8 : i64, b_width = 8 : i64, accumulator_width = 32 : i64, a_signed = false, b_signed = true, a_zero = true}
  %x = arith.extui %a : i8 to i9
  %y = arith.extui %z : i8 to i9
  %d = arith.subi %x, %y : i9
  %e = arith.extsi %d : i9 to i32
  %f = arith.extsi %b : i8 to i32
  %p = arith.muli %e, %f : i32
  %r = arith.addi %p, %c : i32
  func.return %r : i32
}

// A constant zero point.
// CHECK-LABEL: func.func @constant_zero_point(
func.func @constant_zero_point(%a: i8, %b: i8, %c: i32) -> i32 {
  // CHECK: a_signed = true, b_signed = true, a_zero = true}
  %z = arith.constant -3 : i9
  %x = arith.extsi %a : i8 to i9
  %d = arith.subi %x, %z : i9
  %e = arith.extsi %d : i9 to i32
  %f = arith.extsi %b : i8 to i32
  %p = arith.muli %e, %f : i32
  %r = arith.addi %p, %c : i32
  func.return %r : i32
}

// The difference wraps in 8 bits: a factor as it is, without a zero point.
// CHECK-LABEL: func.func @wrapped_difference(
func.func @wrapped_difference(%a: i8, %z: i8, %b: i8, %c: i32) -> i32 {
  // CHECK-NOT: a_zero
  // CHECK: tensorlift.mac = {product = 0 : i64, a_width = 8 : i64, b_width = 8 : i64, accumulator_width = 32 : i64, a_signed = true, b_signed = true}
  // CHECK-NOT: a_zero
  %d = arith.subi %a, %z : i8
  %e = arith.extsi %d : i8 to i32
  %f = arith.extsi %b : i8 to i32
  %p = arith.muli %e, %f : i32
  %r = arith.addi %p, %c : i32
  func.return %r : i32
}
