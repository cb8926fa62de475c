// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// A ReLU that a mode switches on.
// CHECK-LABEL: func.func @guarded_relu(
func.func @guarded_relu(%x: i32, %on: i1) -> i32 {
  // CHECK: arith.select {{.*}} {tensorlift.relu = {width = 32 : i64, guard = 0 : i64}} : i32
  %zero = arith.constant 0 : i32
  %negative = arith.cmpi slt, %x, %zero : i32
  %both = arith.andi %on, %negative : i1
  %r = arith.select %both, %zero, %x : i32
  func.return %r : i32
}

// The guard and the sign of something else.
// CHECK-LABEL: func.func @other_sign(
func.func @other_sign(%x: i32, %y: i32, %on: i1) -> i32 {
  // CHECK-NOT: tensorlift
  // CHECK: return
  %zero = arith.constant 0 : i32
  %negative = arith.cmpi slt, %y, %zero : i32
  %both = arith.andi %on, %negative : i1
  %r = arith.select %both, %zero, %x : i32
  func.return %r : i32
}
