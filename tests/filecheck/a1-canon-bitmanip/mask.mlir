// RUN: tensorlift-opt %s -p a1-canon-bitmanip | filecheck %s

// CHECK-LABEL: func.func @low_bits(
func.func @low_bits(%x: i32) -> i8 {
  // CHECK-NEXT: %[[R:.*]] = arith.trunci %x : i32 to i8
  // CHECK-NEXT: func.return %[[R]]
  %c255 = arith.constant 255 : i32
  %m = arith.andi %x, %c255 : i32
  %r = arith.trunci %m : i32 to i8
  func.return %r : i8
}

// A byte masked, moved down and up again is where it was.
// CHECK-LABEL: func.func @in_place(
func.func @in_place(%x: i32) -> i32 {
  // CHECK: %[[R:.*]] = arith.andi %x, %{{.*}} : i32
  // CHECK-NEXT: func.return %[[R]]
  %c8 = arith.constant 8 : i32
  %mask = arith.constant 0xff00 : i32
  %r = arith.andi %x, %mask : i32
  func.return %r : i32
}

// Two masks of the same bits: the second keeps all that the first has left.
// CHECK-LABEL: func.func @twice(
func.func @twice(%x: i16) -> i16 {
  // CHECK: %[[T:.*]] = arith.trunci %x : i16 to i4
  // CHECK-NEXT: %[[R:.*]] = arith.extui %[[T]] : i4 to i16
  // CHECK-NEXT: func.return %[[R]]
  %c15 = arith.constant 15 : i16
  %c255 = arith.constant 255 : i16
  %a = arith.andi %x, %c15 : i16
  %r = arith.andi %a, %c255 : i16
  func.return %r : i16
}

// What is merged under complementary masks is all of one value.
// CHECK-LABEL: func.func @complementary(
func.func @complementary(%x: i16) -> i16 {
  // CHECK-NEXT: func.return %x
  %even = arith.constant 0x00ff : i16
  %odd = arith.constant 0xff00 : i16
  %a = arith.andi %x, %even : i16
  %b = arith.andi %odd, %x : i16
  %r = arith.ori %a, %b : i16
  func.return %r : i16
}

// A mask that another value gives moves no bits.
// CHECK-LABEL: func.func @variable(
func.func @variable(%x: i16, %m: i16) -> i16 {
  // CHECK-NEXT: arith.andi
  // CHECK-NEXT: arith.ori
  // CHECK-NEXT: func.return
  %a = arith.andi %x, %m : i16
  %r = arith.ori %a, %x : i16
  func.return %r : i16
}
