// RUN: tensorlift-opt %s -p a2-narrow-types | filecheck %s

// CHECK-LABEL: func.func @round_trip(
func.func @round_trip(%x: i8) -> i16 {
  // CHECK-NEXT: %[[E:.*]] = arith.extsi %x : i8 to i16
  // CHECK-NEXT: func.return %[[E]]
  %w = arith.extsi %x : i8 to i32
  %r = arith.trunci %w : i32 to i16
  func.return %r : i16
}

// CHECK-LABEL: func.func @zero_then_sign(
func.func @zero_then_sign(%x: i8) -> i32 {
  // CHECK-NEXT: arith.extui %x : i8 to i32
  %w = arith.extui %x : i8 to i16
  %r = arith.extsi %w : i16 to i32
  func.return %r : i32
}

// CHECK-LABEL: func.func @product(
func.func @product(%a: i8, %b: i8) -> i16 {
  // CHECK: arith.muli %{{.*}}, %{{.*}} : i16
  // CHECK-NEXT: func.return
  %x = arith.extsi %a : i8 to i32
  %y = arith.extsi %b : i8 to i32
  %p = arith.muli %x, %y : i32
  %r = arith.trunci %p : i32 to i16
  func.return %r : i16
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

// A truncation that wraps is kept for the passes that read it.
// CHECK-LABEL: func.func @wrap(
func.func @wrap(%x: i32) -> i32 {
  // CHECK-NEXT: arith.trunci
  // CHECK-NEXT: arith.extsi
  %w = arith.trunci %x : i32 to i20
  %r = arith.extsi %w : i20 to i32
  func.return %r : i32
}
