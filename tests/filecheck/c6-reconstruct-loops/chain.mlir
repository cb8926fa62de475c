// RUN: tensorlift-opt %s -p b3-detect-mac,c6-reconstruct-loops | filecheck %s

// Part-selects of one word against words of an array at consecutive addresses.
// CHECK-LABEL: func.func @chain(
func.func @chain(%row: i24, %base: i6, %weights: memref<64xi8>, %bias: i20) -> i20 {
  // CHECK: %[[R:.*]] = scf.for %k = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%sum = %bias) -> (i20)
  // CHECK: memref.load %weights
  // CHECK: arith.addi %sum, %{{.*}} {tensorlift.mac
  // CHECK: return %[[R]]
  %c8 = arith.constant 8 : i24
  %c16 = arith.constant 16 : i24
  %one = arith.constant 1 : i6
  %two = arith.constant 2 : i6
  %a0 = arith.trunci %row : i24 to i8
  %r1 = arith.shrui %row, %c8 : i24
  %a1 = arith.trunci %r1 : i24 to i8
  %r2 = arith.shrui %row, %c16 : i24
  %a2 = arith.trunci %r2 : i24 to i8
  %i0 = arith.index_castui %base : i6 to index
  %p1 = arith.addi %base, %one : i6
  %i1 = arith.index_castui %p1 : i6 to index
  %p2 = arith.addi %base, %two : i6
  %i2 = arith.index_castui %p2 : i6 to index
  %w0 = memref.load %weights[%i0] : memref<64xi8>
  %w1 = memref.load %weights[%i1] : memref<64xi8>
  %w2 = memref.load %weights[%i2] : memref<64xi8>
  %x0 = arith.extsi %a0 : i8 to i20
  %y0 = arith.extsi %w0 : i8 to i20
  %m0 = arith.muli %x0, %y0 : i20
  %s0 = arith.addi %bias, %m0 : i20
  %x1 = arith.extsi %a1 : i8 to i20
  %y1 = arith.extsi %w1 : i8 to i20
  %m1 = arith.muli %x1, %y1 : i20
  %s1 = arith.addi %s0, %m1 : i20
  %x2 = arith.extsi %a2 : i8 to i20
  %y2 = arith.extsi %w2 : i8 to i20
  %m2 = arith.muli %x2, %y2 : i20
  %s2 = arith.addi %s1, %m2 : i20
  func.return %s2 : i20
}

// Bit offsets 0, 8, 12 follow no pattern.
// CHECK-LABEL: func.func @no_pattern(
func.func @no_pattern(%row: i24, %w: i8, %bias: i20) -> i20 {
  // CHECK-NOT: scf.for
  // CHECK: return
  %c8 = arith.constant 8 : i24
  %c12 = arith.constant 12 : i24
  %y = arith.extsi %w : i8 to i20
  %a0 = arith.trunci %row : i24 to i8
  %r1 = arith.shrui %row, %c8 : i24
  %a1 = arith.trunci %r1 : i24 to i8
  %r2 = arith.shrui %row, %c12 : i24
  %a2 = arith.trunci %r2 : i24 to i8
  %x0 = arith.extsi %a0 : i8 to i20
  %m0 = arith.muli %x0, %y : i20
  %s0 = arith.addi %bias, %m0 : i20
  %x1 = arith.extsi %a1 : i8 to i20
  %m1 = arith.muli %x1, %y : i20
  %s1 = arith.addi %s0, %m1 : i20
  %x2 = arith.extsi %a2 : i8 to i20
  %m2 = arith.muli %x2, %y : i20
  %s2 = arith.addi %s1, %m2 : i20
  func.return %s2 : i20
}
