// RUN: tensorlift-opt %s -p c6-reconstruct-loops,c7-lift-to-linalg | filecheck %s


// A sum without products, in adders that grow.
// CHECK-LABEL: func.func @sum(
func.func @sum(%row: i32) -> i10 {
  // CHECK: iter_args(%sum = %{{.*}}) -> (i10)
  // CHECK: tensorlift.linalg_op = "reduce_sum", tensorlift.a = {kind = "part", stride = 8 : i64
  %v0 = arith.trunci %row : i32 to i8
  %cv1 = arith.constant 8 : i32
  %vs1 = arith.shrui %row, %cv1 : i32
  %v1 = arith.trunci %vs1 : i32 to i8
  %cv2 = arith.constant 16 : i32
  %vs2 = arith.shrui %row, %cv2 : i32
  %v2 = arith.trunci %vs2 : i32 to i8
  %cv3 = arith.constant 24 : i32
  %vs3 = arith.shrui %row, %cv3 : i32
  %v3 = arith.trunci %vs3 : i32 to i8
  %e0 = arith.extui %v0 : i8 to i9
  %e1 = arith.extui %v1 : i8 to i9
  %e2 = arith.extui %v2 : i8 to i9
  %e3 = arith.extui %v3 : i8 to i9
  %s0 = arith.addi %e0, %e1 : i9
  %s1 = arith.addi %e2, %e3 : i9
  %f0 = arith.extui %s0 : i9 to i10
  %f1 = arith.extui %s1 : i9 to i10
  %r = arith.addi %f0, %f1 : i10
  func.return %r : i10
}

// Twice the same value is no reduction.
// CHECK-LABEL: func.func @double(
func.func @double(%x: i8) -> i8 {
  // CHECK-NOT: scf.for
  // CHECK: return
  %r = arith.addi %x, %x : i8
  func.return %r : i8
}
