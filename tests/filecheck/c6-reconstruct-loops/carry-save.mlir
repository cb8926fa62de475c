// RUN: tensorlift-opt %s -p b3-detect-mac,c6-reconstruct-loops | filecheck %s


// CHECK-LABEL: func.func @compressed(
func.func @compressed(%row: i24, %column: i24) -> i20 {
  // CHECK: scf.for %k = %{{.*}} to %{{.*}} step
  // CHECK: arith.addi %sum, %{{.*}} {tensorlift.mac
  // CHECK-NOT: arith.xori
  %v0 = arith.trunci %row : i24 to i8
  %cv1 = arith.constant 8 : i24
  %vs1 = arith.shrui %row, %cv1 : i24
  %v1 = arith.trunci %vs1 : i24 to i8
  %cv2 = arith.constant 16 : i24
  %vs2 = arith.shrui %row, %cv2 : i24
  %v2 = arith.trunci %vs2 : i24 to i8
  %w0 = arith.trunci %column : i24 to i8
  %cw1 = arith.constant 8 : i24
  %ws1 = arith.shrui %column, %cw1 : i24
  %w1 = arith.trunci %ws1 : i24 to i8
  %cw2 = arith.constant 16 : i24
  %ws2 = arith.shrui %column, %cw2 : i24
  %w2 = arith.trunci %ws2 : i24 to i8
  %a0 = arith.extsi %v0 : i8 to i16
  %b0 = arith.extsi %w0 : i8 to i16
  %p0 = arith.muli %a0, %b0 : i16
  %a1 = arith.extsi %v1 : i8 to i16
  %b1 = arith.extsi %w1 : i8 to i16
  %p1 = arith.muli %a1, %b1 : i16
  %a2 = arith.extsi %v2 : i8 to i16
  %b2 = arith.extsi %w2 : i8 to i16
  %p2 = arith.muli %a2, %b2 : i16
  %q0 = arith.extsi %p0 : i16 to i20
  %q1 = arith.extsi %p1 : i16 to i20
  %q2 = arith.extsi %p2 : i16 to i20
  %one = arith.constant 1 : i20
  %g = arith.xori %q0, %q1 : i20
  %s = arith.xori %g, %q2 : i20
  %m0 = arith.andi %q0, %q1 : i20
  %m1 = arith.andi %q0, %q2 : i20
  %m2 = arith.andi %q1, %q2 : i20
  %n0 = arith.ori %m0, %m1 : i20
  %n = arith.ori %n0, %m2 : i20
  %carry = arith.shli %n, %one : i20
  %r = arith.addi %s, %carry : i20
  func.return %r : i20
}
