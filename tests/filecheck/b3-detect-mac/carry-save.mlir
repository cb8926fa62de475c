// RUN: tensorlift-opt %s -p b3-detect-mac | filecheck %s


// Sum bits and carries of three products, then one adder.
// CHECK-LABEL: func.func @compressed(
func.func @compressed(%x0: i8, %y0: i8, %x1: i8, %y1: i8, %x2: i8, %y2: i8) -> i20 {
  // CHECK: arith.addi %s, %carry {tensorlift.sum = {terms = 3 : i64, products = 3 : i64, width = 20 : i64, carry_save = true}}
  %a0 = arith.extsi %x0 : i8 to i16
  %b0 = arith.extsi %y0 : i8 to i16
  %p0 = arith.muli %a0, %b0 : i16
  %a1 = arith.extsi %x1 : i8 to i16
  %b1 = arith.extsi %y1 : i8 to i16
  %p1 = arith.muli %a1, %b1 : i16
  %a2 = arith.extsi %x2 : i8 to i16
  %b2 = arith.extsi %y2 : i8 to i16
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

// The accumulator goes through a second compressor.
// CHECK-LABEL: func.func @two_levels(
func.func @two_levels(%x0: i8, %y0: i8, %x1: i8, %y1: i8, %x2: i8, %y2: i8, %c: i20) -> i20 {
  // CHECK: arith.addi %{{.*}} {tensorlift.sum = {terms = 4 : i64, products = 3 : i64, width = 20 : i64, carry_save = true}}
  %a0 = arith.extsi %x0 : i8 to i16
  %b0 = arith.extsi %y0 : i8 to i16
  %p0 = arith.muli %a0, %b0 : i16
  %a1 = arith.extsi %x1 : i8 to i16
  %b1 = arith.extsi %y1 : i8 to i16
  %p1 = arith.muli %a1, %b1 : i16
  %a2 = arith.extsi %x2 : i8 to i16
  %b2 = arith.extsi %y2 : i8 to i16
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
  %h = arith.xori %s, %carry : i20
  %s2 = arith.xori %h, %c : i20
  %k0 = arith.andi %s, %carry : i20
  %k1 = arith.andi %h, %c : i20
  %k = arith.ori %k0, %k1 : i20
  %carry2 = arith.shli %k, %one : i20
  %r = arith.addi %s2, %carry2 : i20
  func.return %r : i20
}

// The carries are not moved up.
// CHECK-LABEL: func.func @unshifted_carries(
func.func @unshifted_carries(%x0: i8, %y0: i8, %x1: i8, %y1: i8, %x2: i8, %y2: i8) -> i20 {
  // CHECK-NOT: carry_save = true
  // CHECK: return
  %a0 = arith.extsi %x0 : i8 to i16
  %b0 = arith.extsi %y0 : i8 to i16
  %p0 = arith.muli %a0, %b0 : i16
  %a1 = arith.extsi %x1 : i8 to i16
  %b1 = arith.extsi %y1 : i8 to i16
  %p1 = arith.muli %a1, %b1 : i16
  %a2 = arith.extsi %x2 : i8 to i16
  %b2 = arith.extsi %y2 : i8 to i16
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
  %r = arith.addi %s, %n : i20
  func.return %r : i20
}
