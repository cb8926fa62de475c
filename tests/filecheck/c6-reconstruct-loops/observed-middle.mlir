// RUN: tensorlift-opt %s -p b3-detect-mac,c6-reconstruct-loops | filecheck %s

// The middle of the chain is observed, so the two sums stay what they are.
// CHECK-LABEL: func.func @observed(
func.func @observed(%row: i16, %w: i8, %bias: i20) -> (i20, i20) {
  // CHECK-NOT: scf.for
  // CHECK: return
  %c8 = arith.constant 8 : i16
  %y = arith.extsi %w : i8 to i20
  %a0 = arith.trunci %row : i16 to i8
  %r1 = arith.shrui %row, %c8 : i16
  %a1 = arith.trunci %r1 : i16 to i8
  %x0 = arith.extsi %a0 : i8 to i20
  %m0 = arith.muli %x0, %y : i20
  %s0 = arith.addi %bias, %m0 : i20
  %x1 = arith.extsi %a1 : i8 to i20
  %m1 = arith.muli %x1, %y : i20
  %s1 = arith.addi %s0, %m1 : i20
  func.return %s0, %s1 : i20, i20
}
