// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// CHECK-LABEL: func.func @relu(
func.func @relu(%x: i32) -> i32 {
  // CHECK: arith.select {{.*}} {tensorlift.relu = {width = 32 : i64}} : i32
  %zero = arith.constant 0 : i32
  %negative = arith.cmpi slt, %x, %zero : i32
  %r = arith.select %negative, %zero, %x : i32
  func.return %r : i32
}

// A ReLU that tests the wrong bit.
// CHECK-LABEL: func.func @wrong_bit(
func.func @wrong_bit(%x: i32) -> i32 {
  // CHECK-NOT: tensorlift
  // CHECK: return
  %c30 = arith.constant 30 : i32
  %zero = arith.constant 0 : i32
  %s = arith.shrui %x, %c30 : i32
  %bit = arith.trunci %s : i32 to i1
  %r = arith.select %bit, %zero, %x : i32
  func.return %r : i32
}
