// RUN: tensorlift-opt %s -p b3-detect-mac | filecheck %s

// CHECK-LABEL: func.func @signed(
func.func @signed(%a: i8, %b: i8, %c: i20) -> i20 {
  // CHECK: tensorlift.mac = {product = 0 : i64, a_width = 8 : i64, b_width = 8 : i64, accumulator_width = 20 : i64, a_signed = true, b_signed = true}
  %x = arith.extsi %a : i8 to i16
  %y = arith.extsi %b : i8 to i16
  %p = arith.muli %x, %y : i16
  %q = arith.extsi %p : i16 to i20
  %r = arith.addi %q, %c : i20
  func.return %r : i20
}

// CHECK-LABEL: func.func @mixed_signs(
func.func @mixed_signs(%a: i8, %b: i8, %c: i20) -> i20 {
  // CHECK: a_signed = false, b_signed = true
  %x = arith.extui %a : i8 to i20
  %y = arith.extsi %b : i8 to i20
  %p = arith.muli %x, %y : i20
  %r = arith.addi %c, %p : i20
  func.return %r : i20
}

// An unsigned product that is sign-extended is neither.
// CHECK-LABEL: func.func @unsigned_dressed_as_signed(
func.func @unsigned_dressed_as_signed(%a: i8, %b: i8, %c: i20) -> i20 {
  // CHECK-NOT: tensorlift.mac
  // CHECK: return
  %x = arith.extui %a : i8 to i16
  %y = arith.extui %b : i8 to i16
  %p = arith.muli %x, %y : i16
  %q = arith.extsi %p : i16 to i20
  %r = arith.addi %q, %c : i20
  func.return %r : i20
}
