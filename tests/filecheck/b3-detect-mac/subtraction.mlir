// RUN: tensorlift-opt %s -p b3-detect-mac | filecheck %s


// c - a * b, and a * b - c, which is no MAC of c.
// CHECK-LABEL: func.func @subtracted(
func.func @subtracted(%a: i8, %b: i8, %c: i20) -> i20 {
  // CHECK: arith.subi %c, %{{.*}} {tensorlift.mac = {product = 1 : i64, {{.*}}a_signed = true, b_signed = true, negative = true}
  %x = arith.extsi %a : i8 to i16
  %y = arith.extsi %b : i8 to i16
  %p = arith.muli %x, %y : i16
  %q = arith.extsi %p : i16 to i20
  %r = arith.subi %c, %q : i20
  func.return %r : i20
}

// CHECK-LABEL: func.func @subtracted_from(
func.func @subtracted_from(%a: i8, %b: i8, %c: i20) -> i20 {
  // CHECK-NOT: tensorlift.mac
  // CHECK: return
  %x = arith.extsi %a : i8 to i20
  %y = arith.extsi %b : i8 to i20
  %p = arith.muli %x, %y : i20
  %r = arith.subi %p, %c : i20
  func.return %r : i20
}
