// RUN: tensorlift-opt %s -p b4-specialize-control | filecheck %s

// One function per mode.
// CHECK-LABEL: func.func @lane__act_0(
// CHECK-SAME: taidl.mode = {act = 0 : i64}
// CHECK-NEXT: func.return %x
// CHECK-LABEL: func.func @lane__act_1(
// CHECK-SAME: taidl.mode = {act = 1 : i64}
// CHECK-NOT: arith.cmpi eq
// CHECK: %[[R:.*]] = arith.select %{{.*}}, %{{.*}}, %x : i32
// CHECK-NEXT: func.return %[[R]]
func.func @lane(%x: i32, %act: i2 {rtl.name = "act"}) -> i32 attributes {taidl.specialize = [{act = 0 : i64}, {act = 1 : i64}]} {
  %one = arith.constant 1 : i2
  %zero = arith.constant 0 : i32
  %is = arith.cmpi eq, %act, %one : i2
  %negative = arith.cmpi slt, %x, %zero : i32
  %relu = arith.select %negative, %zero, %x : i32
  %r = arith.select %is, %relu, %x : i32
  func.return %r : i32
}
