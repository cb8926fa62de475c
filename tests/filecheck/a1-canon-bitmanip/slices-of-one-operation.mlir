// RUN: tensorlift-opt %s -p a1-canon-bitmanip | filecheck %s

// The low bits of a sum are the sum of the low bits.
// CHECK-LABEL: func.func @split_sum(
func.func @split_sum(%a: i14) -> i14 {
  // CHECK: %[[S:.*]] = arith.addi %a, %{{.*}} : i14
  // CHECK-NEXT: func.return %[[S]]
  %one = arith.constant 1 : i14
  %one12 = arith.constant 1 : i12
  %c12 = arith.constant 12 : i14
  %s = arith.addi %a, %one : i14
  %h = arith.shrui %s, %c12 : i14
  %top = arith.trunci %h : i14 to i2
  %low = arith.trunci %a : i14 to i12
  %t = arith.addi %low, %one12 : i12
  %u = arith.extui %t : i12 to i14
  %v = arith.extui %top : i2 to i14
  %w = arith.shli %v, %c12 : i14
  %r = arith.ori %u, %w : i14
  func.return %r : i14
}

// The low part of another sum stays: the two halves belong to different numbers.
// CHECK-LABEL: func.func @two_sums(
func.func @two_sums(%a: i14) -> i14 {
  // CHECK: arith.addi %a, %{{.*}} : i14
  // CHECK: arith.addi %{{.*}}, %{{.*}} : i12
  // CHECK: arith.ori
  %one = arith.constant 1 : i14
  %two12 = arith.constant 2 : i12
  %c12 = arith.constant 12 : i14
  %s = arith.addi %a, %one : i14
  %h = arith.shrui %s, %c12 : i14
  %top = arith.trunci %h : i14 to i2
  %low = arith.trunci %a : i14 to i12
  %t = arith.addi %low, %two12 : i12
  %u = arith.extui %t : i12 to i14
  %v = arith.extui %top : i2 to i14
  %w = arith.shli %v, %c12 : i14
  %r = arith.ori %u, %w : i14
  func.return %r : i14
}
