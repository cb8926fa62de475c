// RUN: tensorlift-opt %s -p b3-detect-mac,c6-reconstruct-loops,c7-lift-to-linalg | filecheck %s

// Rows a stride apart: base, base + stride, base + stride * 2 are base + stride * k.
// CHECK-LABEL: func.func @rows(
func.func @rows(%rows: memref<64xi8>, %base: i6, %stride: i6, %column: i24, %c: i20) -> i20 {
  // CHECK: scf.for %k = {{.*}} iter_args(%sum = %c) -> (i20)
  // CHECK: %[[STEP:.*]] = arith.muli %stride, %{{.*}} : i6
  // CHECK: arith.addi %base, %[[STEP]] : i6
  // CHECK: tensorlift.linalg_op = "dot_product"
  // CHECK-SAME: tensorlift.a = {kind = "load", stride = 1 : i64, offset = 0 : i64, bit = 0 : i64, masked = false, scaled = true}
  %two = arith.constant 2 : i6
  %twice = arith.muli %stride, %two : i6
  %at1 = arith.addi %base, %stride : i6
  %at2 = arith.addi %base, %twice : i6
  %i0 = arith.index_castui %base : i6 to index
  %i1 = arith.index_castui %at1 : i6 to index
  %i2 = arith.index_castui %at2 : i6 to index
  %v0 = memref.load %rows[%i0] : memref<64xi8>
  %v1 = memref.load %rows[%i1] : memref<64xi8>
  %v2 = memref.load %rows[%i2] : memref<64xi8>
  %c8 = arith.constant 8 : i24
  %c16 = arith.constant 16 : i24
  %h1 = arith.shrui %column, %c8 : i24
  %h2 = arith.shrui %column, %c16 : i24
  %w0 = arith.trunci %column : i24 to i8
  %w1 = arith.trunci %h1 : i24 to i8
  %w2 = arith.trunci %h2 : i24 to i8
  %a0 = arith.extsi %v0 : i8 to i20
  %b0 = arith.extsi %w0 : i8 to i20
  %p0 = arith.muli %a0, %b0 : i20
  %a1 = arith.extsi %v1 : i8 to i20
  %b1 = arith.extsi %w1 : i8 to i20
  %p1 = arith.muli %a1, %b1 : i20
  %a2 = arith.extsi %v2 : i8 to i20
  %b2 = arith.extsi %w2 : i8 to i20
  %p2 = arith.muli %a2, %b2 : i20
  %s0 = arith.addi %c, %p0 : i20
  %s1 = arith.addi %s0, %p1 : i20
  %s2 = arith.addi %s1, %p2 : i20
  func.return %s2 : i20
}

// Rows at two unrelated places are no pattern.
// CHECK-LABEL: func.func @elsewhere(
func.func @elsewhere(%rows: memref<64xi8>, %here: i6, %there: i6, %column: i16, %c: i20) -> i20 {
  // CHECK-NOT: scf.for
  // CHECK: return
  %i0 = arith.index_castui %here : i6 to index
  %i1 = arith.index_castui %there : i6 to index
  %v0 = memref.load %rows[%i0] : memref<64xi8>
  %v1 = memref.load %rows[%i1] : memref<64xi8>
  %c8 = arith.constant 8 : i16
  %h1 = arith.shrui %column, %c8 : i16
  %w0 = arith.trunci %column : i16 to i8
  %w1 = arith.trunci %h1 : i16 to i8
  %a0 = arith.extsi %v0 : i8 to i20
  %b0 = arith.extsi %w0 : i8 to i20
  %p0 = arith.muli %a0, %b0 : i20
  %a1 = arith.extsi %v1 : i8 to i20
  %b1 = arith.extsi %w1 : i8 to i20
  %p1 = arith.muli %a1, %b1 : i20
  %s0 = arith.addi %c, %p0 : i20
  %s1 = arith.addi %s0, %p1 : i20
  func.return %s1 : i20
}
