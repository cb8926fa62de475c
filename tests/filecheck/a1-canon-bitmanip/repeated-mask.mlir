// RUN: tensorlift-opt %s -p a1-canon-bitmanip | filecheck %s

// {8{c}} & x.
// CHECK-LABEL: func.func @and(
func.func @and(%c: i1, %x: i8) -> i8 {
  // CHECK: %[[R:.*]] = arith.select %c, %x, %{{.*}} : i8
  // CHECK-NEXT: func.return %[[R]]
  %m = arith.extsi %c : i1 to i8
  %r = arith.andi %m, %x : i8
  func.return %r : i8
}

// {4{c}} | x, the mask put together bit by bit.
// CHECK-LABEL: func.func @or(
func.func @or(%c: i1, %x: i4) -> i4 {
  // CHECK: %[[R:.*]] = arith.select %c, %{{.*}}, %x : i4
  // CHECK-NEXT: func.return %[[R]]
  %p1 = arith.constant 1 : i4
  %p2 = arith.constant 2 : i4
  %p3 = arith.constant 3 : i4
  %b0 = arith.extui %c : i1 to i4
  %b1 = arith.shli %b0, %p1 : i4
  %b2 = arith.shli %b0, %p2 : i4
  %b3 = arith.shli %b0, %p3 : i4
  %m1 = arith.ori %b0, %b1 : i4
  %m2 = arith.ori %m1, %b2 : i4
  %m3 = arith.ori %m2, %b3 : i4
  %r = arith.ori %x, %m3 : i4
  func.return %r : i4
}

// ({8{c}} & x) | ({8{~c}} & y) is one multiplexer.
// CHECK-LABEL: func.func @and_or(
func.func @and_or(%c: i1, %x: i8, %y: i8) -> i8 {
  // CHECK: %[[R:.*]] = arith.select %c, %x, %y : i8
  // CHECK-NEXT: func.return %[[R]]
  %true = arith.constant true
  %n = arith.xori %c, %true : i1
  %mc = arith.extsi %c : i1 to i8
  %mn = arith.extsi %n : i1 to i8
  %a = arith.andi %mc, %x : i8
  %b = arith.andi %mn, %y : i8
  %r = arith.ori %b, %a : i8
  func.return %r : i8
}

// Two conditions that may both hold: not one multiplexer.
// CHECK-LABEL: func.func @both_may_hold(
func.func @both_may_hold(%c: i1, %d: i1, %x: i8, %y: i8) -> i8 {
  // CHECK: arith.select
  // CHECK: arith.select
  // CHECK: arith.ori
  %mc = arith.extsi %c : i1 to i8
  %md = arith.extsi %d : i1 to i8
  %a = arith.andi %mc, %x : i8
  %b = arith.andi %md, %y : i8
  %r = arith.ori %b, %a : i8
  func.return %r : i8
}

// A bit that is zero-extended masks all but the lowest.
// CHECK-LABEL: func.func @not_repeated(
func.func @not_repeated(%c: i1, %x: i8) -> i8 {
  // CHECK-NEXT: arith.extui
  // CHECK-NEXT: arith.andi
  // CHECK-NEXT: func.return
  %m = arith.extui %c : i1 to i8
  %r = arith.andi %m, %x : i8
  func.return %r : i8
}
