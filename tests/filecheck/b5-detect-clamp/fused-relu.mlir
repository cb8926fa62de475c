// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// ReLU and saturation in one.
// CHECK-LABEL: func.func @fused(
func.func @fused(%x: i32) -> i8 {
  // CHECK: {tensorlift.clamp = {low = 0 : i64, high = 127 : i64, signed = true, width = 32 : i64}, tensorlift.relu = {width = 32 : i64}} : i32 to i8
  %hi = arith.constant 127 : i32
  %zero = arith.constant 0 : i32
  %above = arith.cmpi sgt, %x, %hi : i32
  %negative = arith.cmpi slt, %x, %zero : i32
  %a = arith.select %above, %hi, %x : i32
  %b = arith.select %negative, %zero, %a : i32
  %r = arith.trunci %b : i32 to i8
  func.return %r : i8
}

// ReLU of a saturated value and saturation of a ReLU are the same.
// CHECK-LABEL: func.func @one_after_the_other(
func.func @one_after_the_other(%x: i32) -> i32 {
  // CHECK: %r = arith.select {{.*}} {tensorlift.clamp = {low = 0 : i64, high = 127 : i64, signed = true, width = 32 : i64}, tensorlift.relu = {width = 32 : i64}} : i32
  %hi = arith.constant 127 : i32
  %zero = arith.constant 0 : i32
  %above = arith.cmpi sgt, %x, %hi : i32
  %a = arith.select %above, %hi, %x : i32
  %negative = arith.cmpi slt, %a, %zero : i32
  %r = arith.select %negative, %zero, %a : i32
  func.return %r : i32
}

// A ReLU of the wrapped value is none of the value before.
// CHECK-LABEL: func.func @wrapped_first(
func.func @wrapped_first(%x: i32) -> i8 {
  // CHECK-NOT: width = 32
  // CHECK: %r = arith.select {{.*}} {tensorlift.relu = {width = 8 : i64}} : i8
  %zero = arith.constant 0 : i8
  %t = arith.trunci %x : i32 to i8
  %negative = arith.cmpi slt, %t, %zero : i8
  %r = arith.select %negative, %zero, %t : i8
  func.return %r : i8
}
