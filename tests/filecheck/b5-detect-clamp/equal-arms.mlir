// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// Both arms equal: nothing is chosen.
// CHECK-LABEL: func.func @equal_arms(
func.func @equal_arms(%x: i32) -> i32 {
  // CHECK-NOT: tensorlift
  // CHECK: return
  %zero = arith.constant 0 : i32
  %negative = arith.cmpi slt, %x, %zero : i32
  %r = arith.select %negative, %x, %x : i32
  func.return %r : i32
}
