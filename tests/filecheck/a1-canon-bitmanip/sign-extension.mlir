// RUN: tensorlift-opt %s -p a1-canon-bitmanip | filecheck %s

// A replicated sign bit is a sign extension.
// CHECK-LABEL: func.func @sign(
func.func @sign(%p: i4) -> i7 {
  %c3 = arith.constant 3 : i4
  %c4 = arith.constant 4 : i7
  %c5 = arith.constant 5 : i7
  %c6 = arith.constant 6 : i7
  %m = arith.shrui %p, %c3 : i4
  %s = arith.trunci %m : i4 to i1
  %low = arith.extui %p : i4 to i7
  %e = arith.extui %s : i1 to i7
  %e4 = arith.shli %e, %c4 : i7
  %e5 = arith.shli %e, %c5 : i7
  %e6 = arith.shli %e, %c6 : i7
  %a = arith.ori %low, %e4 : i7
  %b = arith.ori %a, %e5 : i7
  %r = arith.ori %b, %e6 : i7
  // CHECK-NEXT: %[[R:.*]] = arith.extsi %{{.*}} : i4 to i7
  // CHECK-NEXT: func.return %[[R]]
  func.return %r : i7
}

// A byte that is not the sign byte repeated stays a concatenation: nothing is rewritten.
// CHECK-LABEL: func.func @wrong_bit(
func.func @wrong_bit(%p: i4) -> i5 {
  // CHECK: arith.shrui
  // CHECK: arith.ori
  %c2 = arith.constant 2 : i4
  %c4 = arith.constant 4 : i5
  %m = arith.shrui %p, %c2 : i4
  %s = arith.trunci %m : i4 to i1
  %low = arith.extui %p : i4 to i5
  %e = arith.extui %s : i1 to i5
  %e4 = arith.shli %e, %c4 : i5
  %r = arith.ori %low, %e4 : i5
  func.return %r : i5
}
