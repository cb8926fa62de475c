// RUN: tensorlift-opt %s -p b3-detect-mac | filecheck %s

// A product that lost its high half is not a * b.
// CHECK-LABEL: func.func @narrow_product(
func.func @narrow_product(%a: i8, %b: i8, %c: i20) -> i20 {
  // CHECK-NOT: tensorlift.mac
  // CHECK: return
  %x = arith.extsi %a : i8 to i12
  %y = arith.extsi %b : i8 to i12
  %p = arith.muli %x, %y : i12
  %q = arith.extsi %p : i12 to i20
  %r = arith.addi %q, %c : i20
  func.return %r : i20
}
