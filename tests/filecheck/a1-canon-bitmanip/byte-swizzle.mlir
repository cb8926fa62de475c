// RUN: tensorlift-opt %s -p a1-canon-bitmanip | filecheck %s

// Bytes turned round twice are as they were.
// CHECK-LABEL: func.func @there_and_back(
func.func @there_and_back(%x: i24) -> i24 {
  // CHECK-NEXT: func.return %x
  %c8 = arith.constant 8 : i24
  %c16 = arith.constant 16 : i24
  %ff = arith.constant 255 : i24
  %mid = arith.constant 0xff00 : i24
  %h = arith.shrui %x, %c16 : i24
  %m = arith.andi %x, %mid : i24
  %b = arith.andi %x, %ff : i24
  %l = arith.shli %b, %c16 : i24
  %o = arith.ori %h, %m : i24
  %turned = arith.ori %o, %l : i24
  %h2 = arith.shrui %turned, %c16 : i24
  %m2 = arith.andi %turned, %mid : i24
  %b2 = arith.andi %turned, %ff : i24
  %l2 = arith.shli %b2, %c16 : i24
  %o2 = arith.ori %h2, %m2 : i24
  %r = arith.ori %o2, %l2 : i24
  func.return %r : i24
}

// A byte of a swizzled word is a byte of the word.
// CHECK-LABEL: func.func @one_byte(
func.func @one_byte(%x: i16) -> i8 {
  // CHECK: %[[S:.*]] = arith.shrui %x, %{{.*}} : i16
  // CHECK-NEXT: %[[R:.*]] = arith.trunci %[[S]] : i16 to i8
  // CHECK-NEXT: func.return %[[R]]
  %c8 = arith.constant 8 : i16
  %h = arith.shrui %x, %c8 : i16
  %l = arith.shli %x, %c8 : i16
  %turned = arith.ori %h, %l : i16
  %r = arith.trunci %turned : i16 to i8
  func.return %r : i8
}

// A rotation by another amount does not undo the first.
// CHECK-LABEL: func.func @other_amount(
func.func @other_amount(%x: i16) -> i16 {
  // CHECK: arith.shli
  // CHECK: arith.ori
  // CHECK: return
  %c8 = arith.constant 8 : i16
  %c4 = arith.constant 4 : i16
  %c12 = arith.constant 12 : i16
  %h = arith.shrui %x, %c8 : i16
  %l = arith.shli %x, %c8 : i16
  %turned = arith.ori %h, %l : i16
  %h2 = arith.shrui %turned, %c4 : i16
  %l2 = arith.shli %turned, %c12 : i16
  %r = arith.ori %h2, %l2 : i16
  func.return %r : i16
}
