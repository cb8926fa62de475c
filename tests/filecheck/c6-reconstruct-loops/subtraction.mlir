// RUN: tensorlift-opt %s -p b3-detect-mac,c6-reconstruct-loops | filecheck %s


// CHECK-LABEL: func.func @all_subtracted(
func.func @all_subtracted(%row: i16, %column: i16, %c: i32) -> i32 {
  // CHECK: iter_args(%sum = %c) -> (i32)
  // CHECK: arith.subi %sum, %{{.*}} {tensorlift.mac
  %v0 = arith.trunci %row : i16 to i8
  %cv1 = arith.constant 8 : i16
  %vs1 = arith.shrui %row, %cv1 : i16
  %v1 = arith.trunci %vs1 : i16 to i8
  %w0 = arith.trunci %column : i16 to i8
  %cw1 = arith.constant 8 : i16
  %ws1 = arith.shrui %column, %cw1 : i16
  %w1 = arith.trunci %ws1 : i16 to i8
  %a0 = arith.extsi %v0 : i8 to i16
  %b0 = arith.extsi %w0 : i8 to i16
  %p0 = arith.muli %a0, %b0 : i16
  %a1 = arith.extsi %v1 : i8 to i16
  %b1 = arith.extsi %w1 : i8 to i16
  %p1 = arith.muli %a1, %b1 : i16
  %q0 = arith.extsi %p0 : i16 to i32
  %q1 = arith.extsi %p1 : i16 to i32
  %s = arith.subi %c, %q0 : i32
  %r = arith.subi %s, %q1 : i32
  func.return %r : i32
}

// One product is added, the other subtracted.
// CHECK-LABEL: func.func @mixed(
func.func @mixed(%row: i16, %column: i16, %c: i32) -> i32 {
  // CHECK-NOT: scf.for
  // CHECK: return
  %v0 = arith.trunci %row : i16 to i8
  %cv1 = arith.constant 8 : i16
  %vs1 = arith.shrui %row, %cv1 : i16
  %v1 = arith.trunci %vs1 : i16 to i8
  %w0 = arith.trunci %column : i16 to i8
  %cw1 = arith.constant 8 : i16
  %ws1 = arith.shrui %column, %cw1 : i16
  %w1 = arith.trunci %ws1 : i16 to i8
  %a0 = arith.extsi %v0 : i8 to i16
  %b0 = arith.extsi %w0 : i8 to i16
  %p0 = arith.muli %a0, %b0 : i16
  %a1 = arith.extsi %v1 : i8 to i16
  %b1 = arith.extsi %w1 : i8 to i16
  %p1 = arith.muli %a1, %b1 : i16
  %q0 = arith.extsi %p0 : i16 to i32
  %q1 = arith.extsi %p1 : i16 to i32
  %s = arith.addi %c, %q0 : i32
  %r = arith.subi %s, %q1 : i32
  func.return %r : i32
}
