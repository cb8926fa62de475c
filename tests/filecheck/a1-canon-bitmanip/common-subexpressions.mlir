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

// Operands the other way round are another difference, and signed and unsigned comparisons are two.
// CHECK-LABEL: func.func @different(
func.func @different(%a: i8, %b: i8) -> (i8, i1) {
  // CHECK: arith.subi %a, %b
  // CHECK: arith.subi %b, %a
  // CHECK: arith.cmpi slt
  // CHECK: arith.cmpi ult
  %x = arith.subi %a, %b : i8
  %y = arith.subi %b, %a : i8
  %r = arith.muli %x, %y : i8
  %s = arith.cmpi slt, %a, %b : i8
  %u = arith.cmpi ult, %a, %b : i8
  %t = arith.xori %s, %u : i1
  func.return %r, %t : i8, i1
}
