// RUN: tensorlift-opt %s -p b3-detect-mac | filecheck %s


// CHECK-LABEL: func.func @square(
func.func @square(%a: i8, %c: i20) -> i20 {
  // CHECK: tensorlift.mac = {product = 0 : i64, a_width = 8 : i64, b_width = 8 : i64, accumulator_width = 20 : i64, a_signed = true, b_signed = true}
  %x = arith.extsi %a : i8 to i16
  %p = arith.muli %x, %x : i16
  %q = arith.extsi %p : i16 to i20
  %r = arith.addi %q, %c : i20
  func.return %r : i20
}

// The square of a difference.
// CHECK-LABEL: func.func @squared_difference(
func.func @squared_difference(%a: i8, %z: i8, %c: i20) -> i20 {
  // CHECK: a_width = 8 : i64, b_width = 8 : i64, accumulator_width = 20 : i64, a_signed = true, b_signed = true, a_zero = true, b_zero = true}
  %x = arith.extsi %a : i8 to i9
  %y = arith.extsi %z : i8 to i9
  %d = arith.subi %x, %y : i9
  %e = arith.extsi %d : i9 to i18
  %p = arith.muli %e, %e : i18
  %q = arith.extsi %p : i18 to i20
  %r = arith.addi %q, %c : i20
  func.return %r : i20
}
