// RUN: tensorlift-opt %s -p b3-detect-mac,c6-reconstruct-loops,c7-lift-to-linalg | filecheck %s


// The same zero point for every element of the row.
// CHECK-LABEL: func.func @zero_point(
func.func @zero_point(%row: i16, %column: i16, %z: i8, %c: i32) -> i32 {
  // CHECK: tensorlift.linalg_op = "dot_product", tensorlift.a = {kind = "part", stride = 8 : i64, offset = 0 : i64, bit = 0 : i64, masked = false, zero = true}
  %v0 = arith.trunci %row : i16 to i8
  %cv1 = arith.constant 8 : i16
  %vs1 = arith.shrui %row, %cv1 : i16
  %v1 = arith.trunci %vs1 : i16 to i8
  %w0 = arith.trunci %column : i16 to i8
  %cw1 = arith.constant 8 : i16
  %ws1 = arith.shrui %column, %cw1 : i16
  %w1 = arith.trunci %ws1 : i16 to i8
  %zz = arith.extui %z : i8 to i9
  %a0 = arith.extui %v0 : i8 to i9
  %d0 = arith.subi %a0, %zz : i9
  %g0 = arith.extsi %d0 : i9 to i32
  %b0 = arith.extsi %w0 : i8 to i32
  %p0 = arith.muli %g0, %b0 : i32
  %a1 = arith.extui %v1 : i8 to i9
  %d1 = arith.subi %a1, %zz : i9
  %g1 = arith.extsi %d1 : i9 to i32
  %b1 = arith.extsi %w1 : i8 to i32
  %p1 = arith.muli %g1, %b1 : i32
  %s = arith.addi %c, %p0 : i32
  %r = arith.addi %s, %p1 : i32
  func.return %r : i32
}
