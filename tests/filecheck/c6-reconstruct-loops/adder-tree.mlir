// RUN: tensorlift-opt %s -p b3-detect-mac,c6-reconstruct-loops | filecheck %s


// A tree of adders that grow by a bit from level to level is the loop that a chain is.
// CHECK-LABEL: func.func @tree(
func.func @tree(%row: i32, %column: i32, %c: i32) -> i32 {
  // CHECK: %[[R:.*]] = scf.for %k = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%sum = %c) -> (i32)
  // CHECK: arith.addi %sum, %{{.*}} {tensorlift.mac
  // CHECK: return %[[R]]
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
  %w0 = arith.trunci %column : i32 to i8
  %cw1 = arith.constant 8 : i32
  %ws1 = arith.shrui %column, %cw1 : i32
  %w1 = arith.trunci %ws1 : i32 to i8
  %cw2 = arith.constant 16 : i32
  %ws2 = arith.shrui %column, %cw2 : i32
  %w2 = arith.trunci %ws2 : i32 to i8
  %cw3 = arith.constant 24 : i32
  %ws3 = arith.shrui %column, %cw3 : i32
  %w3 = arith.trunci %ws3 : i32 to i8
  %a0 = arith.extsi %v0 : i8 to i16
  %b0 = arith.extsi %w0 : i8 to i16
  %p0 = arith.muli %a0, %b0 : i16
  %a1 = arith.extsi %v1 : i8 to i16
  %b1 = arith.extsi %w1 : i8 to i16
  %p1 = arith.muli %a1, %b1 : i16
  %a2 = arith.extsi %v2 : i8 to i16
  %b2 = arith.extsi %w2 : i8 to i16
  %p2 = arith.muli %a2, %b2 : i16
  %a3 = arith.extsi %v3 : i8 to i16
  %b3 = arith.extsi %w3 : i8 to i16
  %p3 = arith.muli %a3, %b3 : i16
  %e0 = arith.extsi %p0 : i16 to i17
  %e1 = arith.extsi %p1 : i16 to i17
  %e2 = arith.extsi %p2 : i16 to i17
  %e3 = arith.extsi %p3 : i16 to i17
  %s0 = arith.addi %e0, %e1 : i17
  %s1 = arith.addi %e2, %e3 : i17
  %f0 = arith.extsi %s0 : i17 to i18
  %f1 = arith.extsi %s1 : i17 to i18
  %t = arith.addi %f0, %f1 : i18
  %u = arith.extsi %t : i18 to i32
  %r = arith.addi %c, %u : i32
  func.return %r : i32
}

// Adders of distant products first.
// CHECK-LABEL: func.func @butterfly(
func.func @butterfly(%row: i32, %column: i32) -> i20 {
  // CHECK: scf.for %k = %{{.*}} to %{{.*}} step
  // CHECK: arith.addi %sum, %{{.*}} {tensorlift.mac
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
  %w0 = arith.trunci %column : i32 to i8
  %cw1 = arith.constant 8 : i32
  %ws1 = arith.shrui %column, %cw1 : i32
  %w1 = arith.trunci %ws1 : i32 to i8
  %cw2 = arith.constant 16 : i32
  %ws2 = arith.shrui %column, %cw2 : i32
  %w2 = arith.trunci %ws2 : i32 to i8
  %cw3 = arith.constant 24 : i32
  %ws3 = arith.shrui %column, %cw3 : i32
  %w3 = arith.trunci %ws3 : i32 to i8
  %a0 = arith.extsi %v0 : i8 to i16
  %b0 = arith.extsi %w0 : i8 to i16
  %p0 = arith.muli %a0, %b0 : i16
  %a1 = arith.extsi %v1 : i8 to i16
  %b1 = arith.extsi %w1 : i8 to i16
  %p1 = arith.muli %a1, %b1 : i16
  %a2 = arith.extsi %v2 : i8 to i16
  %b2 = arith.extsi %w2 : i8 to i16
  %p2 = arith.muli %a2, %b2 : i16
  %a3 = arith.extsi %v3 : i8 to i16
  %b3 = arith.extsi %w3 : i8 to i16
  %p3 = arith.muli %a3, %b3 : i16
  %q0 = arith.extsi %p0 : i16 to i20
  %q1 = arith.extsi %p1 : i16 to i20
  %q2 = arith.extsi %p2 : i16 to i20
  %q3 = arith.extsi %p3 : i16 to i20
  %s0 = arith.addi %q0, %q2 : i20
  %s1 = arith.addi %q1, %q3 : i20
  %r = arith.addi %s0, %s1 : i20
  func.return %r : i20
}

// The second level of adders loses a carry.
// CHECK-LABEL: func.func @wrapping(
func.func @wrapping(%row: i32, %column: i32, %c: i32) -> i32 {
  // CHECK-NOT: scf.for %k = %c0 to %c4
  // CHECK: return
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
  %w0 = arith.trunci %column : i32 to i8
  %cw1 = arith.constant 8 : i32
  %ws1 = arith.shrui %column, %cw1 : i32
  %w1 = arith.trunci %ws1 : i32 to i8
  %cw2 = arith.constant 16 : i32
  %ws2 = arith.shrui %column, %cw2 : i32
  %w2 = arith.trunci %ws2 : i32 to i8
  %cw3 = arith.constant 24 : i32
  %ws3 = arith.shrui %column, %cw3 : i32
  %w3 = arith.trunci %ws3 : i32 to i8
  %a0 = arith.extsi %v0 : i8 to i16
  %b0 = arith.extsi %w0 : i8 to i16
  %p0 = arith.muli %a0, %b0 : i16
  %a1 = arith.extsi %v1 : i8 to i16
  %b1 = arith.extsi %w1 : i8 to i16
  %p1 = arith.muli %a1, %b1 : i16
  %a2 = arith.extsi %v2 : i8 to i16
  %b2 = arith.extsi %w2 : i8 to i16
  %p2 = arith.muli %a2, %b2 : i16
  %a3 = arith.extsi %v3 : i8 to i16
  %b3 = arith.extsi %w3 : i8 to i16
  %p3 = arith.muli %a3, %b3 : i16
  %e0 = arith.extsi %p0 : i16 to i17
  %e1 = arith.extsi %p1 : i16 to i17
  %e2 = arith.extsi %p2 : i16 to i17
  %e3 = arith.extsi %p3 : i16 to i17
  %s0 = arith.addi %e0, %e1 : i17
  %s1 = arith.addi %e2, %e3 : i17
  %t = arith.addi %s0, %s1 : i17
  %u = arith.extsi %t : i17 to i32
  %r = arith.addi %c, %u : i32
  func.return %r : i32
}
