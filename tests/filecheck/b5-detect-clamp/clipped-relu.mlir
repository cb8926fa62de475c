// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// CHECK-LABEL: func.func @six(
func.func @six(%x: i20) -> i20 {
  // CHECK: %r = arith.select {{.*}} {tensorlift.clamp = {low = 0 : i64, high = 6 : i64, signed = true, width = 20 : i64}, tensorlift.relu = {width = 20 : i64}} : i20
  %six = arith.constant 6 : i20
  %zero = arith.constant 0 : i20
  %negative = arith.cmpi slt, %x, %zero : i20
  %above = arith.cmpi sgt, %x, %six : i20
  %a = arith.select %above, %six, %x : i20
  %r = arith.select %negative, %zero, %a : i20
  func.return %r : i20
}

// Negative numbers are made smaller: no ReLU.
// CHECK-LABEL: func.func @leaky(
func.func @leaky(%x: i20) -> i20 {
  // CHECK-NOT: tensorlift
  // CHECK: return
  %three = arith.constant 3 : i20
  %zero = arith.constant 0 : i20
  %negative = arith.cmpi slt, %x, %zero : i20
  %small = arith.shrsi %x, %three : i20
  %r = arith.select %negative, %small, %x : i20
  func.return %r : i20
}
