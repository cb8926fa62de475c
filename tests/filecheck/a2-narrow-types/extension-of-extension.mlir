// RUN: tensorlift-opt %s -p a2-narrow-types | filecheck %s

// CHECK-LABEL: func.func @zero_then_sign(
func.func @zero_then_sign(%x: i8) -> i32 {
  // CHECK-NEXT: arith.extui %x : i8 to i32
  %w = arith.extui %x : i8 to i16
  %r = arith.extsi %w : i16 to i32
  func.return %r : i32
}

// A sign extension that is zero-extended further must stay: the order matters.
// CHECK-LABEL: func.func @sign_then_zero(
func.func @sign_then_zero(%x: i8) -> i32 {
  // CHECK-NEXT: arith.extsi
  // CHECK-NEXT: arith.extui
  %w = arith.extsi %x : i8 to i16
  %r = arith.extui %w : i16 to i32
  func.return %r : i32
}
