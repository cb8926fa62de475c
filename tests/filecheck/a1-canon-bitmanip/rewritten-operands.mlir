// RUN: tensorlift-opt %s -p a1-canon-bitmanip | filecheck %s

// A value made of what was itself rewritten is rewritten too: both extensions become one.
// CHECK-LABEL: func.func @twice(
func.func @twice(%x: i4, %y: i8) -> (i8, i8) {
  // CHECK: %[[A:.*]] = arith.extsi %x : i4 to i6
  // CHECK: %[[B:.*]] = arith.extsi %x : i4 to i8
  // CHECK: arith.addi %[[B]], %y : i8
  %c3 = arith.constant 3 : i4
  %c4 = arith.constant 4 : i6
  %c5 = arith.constant 5 : i6
  %c5w = arith.constant 5 : i6
  %c6 = arith.constant 6 : i8
  %c7 = arith.constant 7 : i8
  %m = arith.shrui %x, %c3 : i4
  %s = arith.trunci %m : i4 to i1
  %e = arith.extui %s : i1 to i6
  %l = arith.extui %x : i4 to i6
  %e4 = arith.shli %e, %c4 : i6
  %e5 = arith.shli %e, %c5 : i6
  %a = arith.ori %l, %e4 : i6
  %six = arith.ori %a, %e5 : i6
  %used = arith.muli %six, %six : i6
  %t = arith.shrui %six, %c5w : i6
  %s2 = arith.trunci %t : i6 to i1
  %f = arith.extui %s2 : i1 to i8
  %w = arith.extui %six : i6 to i8
  %f6 = arith.shli %f, %c6 : i8
  %f7 = arith.shli %f, %c7 : i8
  %b = arith.ori %w, %f6 : i8
  %eight = arith.ori %b, %f7 : i8
  %r = arith.addi %eight, %y : i8
  %u = arith.extui %used : i6 to i8
  func.return %r, %u : i8, i8
}
