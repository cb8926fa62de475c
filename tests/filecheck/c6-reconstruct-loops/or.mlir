// RUN: tensorlift-opt %s -p c6-reconstruct-loops,c7-lift-to-linalg | filecheck %s


// CHECK-LABEL: func.func @any(
func.func @any(%row: i32) -> i8 {
  // CHECK: tensorlift.linalg_op = "reduce_or"
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
  %m0 = arith.ori %v0, %v1 : i8
  %m1 = arith.ori %v2, %v3 : i8
  %r = arith.ori %m0, %m1 : i8
  func.return %r : i8
}

// Bytes put side by side are a word, not a reduction.
// CHECK-LABEL: func.func @packing(
func.func @packing(%m: memref<4xi8>) -> i32 {
  // CHECK-NOT: scf.for
  // CHECK: return
  %i0 = arith.constant 0 : index
  %l0 = memref.load %m[%i0] : memref<4xi8>
  %e0 = arith.extui %l0 : i8 to i32
  %n0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : index
  %l1 = memref.load %m[%i1] : memref<4xi8>
  %e1 = arith.extui %l1 : i8 to i32
  %n1 = arith.constant 8 : i32
  %h1 = arith.shli %e1, %n1 : i32
  %i2 = arith.constant 2 : index
  %l2 = memref.load %m[%i2] : memref<4xi8>
  %e2 = arith.extui %l2 : i8 to i32
  %n2 = arith.constant 16 : i32
  %h2 = arith.shli %e2, %n2 : i32
  %i3 = arith.constant 3 : index
  %l3 = memref.load %m[%i3] : memref<4xi8>
  %e3 = arith.extui %l3 : i8 to i32
  %n3 = arith.constant 24 : i32
  %h3 = arith.shli %e3, %n3 : i32
  %o1 = arith.ori %e0, %h1 : i32
  %o2 = arith.ori %o1, %h2 : i32
  %r = arith.ori %o2, %h3 : i32
  func.return %r : i32
}
