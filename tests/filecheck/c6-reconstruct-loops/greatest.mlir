// RUN: tensorlift-opt %s -p c6-reconstruct-loops,c7-lift-to-linalg | filecheck %s


// CHECK-LABEL: func.func @tree(
func.func @tree(%row: i32) -> i8 {
  // CHECK: iter_args(%sum = %{{.*}}) -> (i8)
  // CHECK: tensorlift.linalg_op = "reduce_max"
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
  %tm0 = arith.cmpi sgt, %v0, %v1 : i8
  %m0 = arith.select %tm0, %v0, %v1 : i8
  %tm1 = arith.cmpi sgt, %v2, %v3 : i8
  %m1 = arith.select %tm1, %v2, %v3 : i8
  %tr = arith.cmpi sgt, %m0, %m1 : i8
  %r = arith.select %tr, %m0, %m1 : i8
  func.return %r : i8
}

// Other spellings, other order, and a value to start from.
// CHECK-LABEL: func.func @butterfly(
func.func @butterfly(%row: i32, %start: i8) -> i8 {
  // CHECK: iter_args(%sum = %start) -> (i8)
  // CHECK: tensorlift.linalg_op = "reduce_umin"
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
  %t0 = arith.cmpi ule, %v0, %v2 : i8
  %m0 = arith.select %t0, %v0, %v2 : i8
  %t1 = arith.cmpi ugt, %v1, %v3 : i8
  %m1 = arith.select %t1, %v3, %v1 : i8
  %t2 = arith.cmpi ult, %m0, %m1 : i8
  %m2 = arith.select %t2, %m0, %m1 : i8
  %t3 = arith.cmpi uge, %start, %m2 : i8
  %r = arith.select %t3, %m2, %start : i8
  func.return %r : i8
}

// Every node is spelled otherwise.
// CHECK-LABEL: func.func @spellings(
func.func @spellings(%row: i32) -> i8 {
  // CHECK: tensorlift.linalg_op = "reduce_max"
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
  %t0 = arith.cmpi slt, %v0, %v1 : i8
  %m0 = arith.select %t0, %v1, %v0 : i8
  %t1 = arith.cmpi sle, %v2, %v3 : i8
  %m1 = arith.select %t1, %v3, %v2 : i8
  %t2 = arith.cmpi sge, %m0, %m1 : i8
  %r = arith.select %t2, %m0, %m1 : i8
  func.return %r : i8
}

// One of the comparisons is unsigned: two reductions of two.
// CHECK-LABEL: func.func @mixed(
func.func @mixed(%row: i32) -> i8 {
  // CHECK: tensorlift.linalg_op = "reduce_umax"{{.*}}offset = 16
  // CHECK: tensorlift.linalg_op = "reduce_max"{{.*}}offset = 0
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
  %tm0 = arith.cmpi sgt, %v0, %v1 : i8
  %m0 = arith.select %tm0, %v0, %v1 : i8
  %tm1 = arith.cmpi ugt, %v2, %v3 : i8
  %m1 = arith.select %tm1, %v2, %v3 : i8
  %tr = arith.cmpi sgt, %m0, %m1 : i8
  %r = arith.select %tr, %m0, %m1 : i8
  func.return %r : i8
}
