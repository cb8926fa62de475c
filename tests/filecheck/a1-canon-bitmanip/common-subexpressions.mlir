// RUN: tensorlift-opt %s -p a1-canon-bitmanip | filecheck %s

// CHECK-LABEL: func.func @shared(
func.func @shared(%a: i8, %b: i8) -> i8 {
  // CHECK-NEXT: %[[S:.*]] = arith.addi
  // CHECK-NEXT: %[[R:.*]] = arith.muli %[[S]], %[[S]]
  %x = arith.addi %a, %b : i8
  %y = arith.addi %b, %a : i8
  %dead = arith.subi %a, %b : i8
  %r = arith.muli %x, %y : i8
  func.return %r : i8
}
