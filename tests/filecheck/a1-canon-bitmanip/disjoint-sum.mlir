// RUN: tensorlift-opt %s -p a1-canon-bitmanip | filecheck %s

// {row, 4'd5}, put together by an addition and taken apart again.
// CHECK-LABEL: func.func @sum(
func.func @sum(%row: i6) -> i6 {
  // CHECK-NEXT: func.return %row
  %c4 = arith.constant 4 : i10
  %c5 = arith.constant 5 : i10
  %w = arith.extui %row : i6 to i10
  %m = arith.shli %w, %c4 : i10
  %s = arith.addi %m, %c5 : i10
  %d = arith.shrui %s, %c4 : i10
  %r = arith.trunci %d : i10 to i6
  func.return %r : i6
}

// CHECK-LABEL: func.func @exclusive_or(
func.func @exclusive_or(%hi: i8, %lo: i8) -> i8 {
  // CHECK-NEXT: func.return %lo
  %c8 = arith.constant 8 : i16
  %h = arith.extui %hi : i8 to i16
  %l = arith.extui %lo : i8 to i16
  %m = arith.shli %h, %c8 : i16
  %w = arith.xori %m, %l : i16
  %r = arith.trunci %w : i16 to i8
  func.return %r : i8
}

// With a carry out of the low part, the high part is a sum.
// CHECK-LABEL: func.func @carry(
func.func @carry(%row: i6) -> i6 {
  // CHECK: arith.addi
  // CHECK: return
  %c4 = arith.constant 4 : i10
  %c21 = arith.constant 21 : i10
  %w = arith.extui %row : i6 to i10
  %m = arith.shli %w, %c4 : i10
  %s = arith.addi %m, %c21 : i10
  %d = arith.shrui %s, %c4 : i10
  %r = arith.trunci %d : i10 to i6
  func.return %r : i6
}
