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

// The sign, repeated and inverted, as a mask.
// CHECK-LABEL: func.func @masked(
func.func @masked(%x: i32) -> i32 {
  // CHECK: %r = arith.select {{.*}} {tensorlift.relu = {width = 32 : i64}} : i32
  %zero = arith.constant 0 : i32
  %c31 = arith.constant 31 : i32
  %true = arith.constant true
  %h = arith.shrui %x, %c31 : i32
  %sign = arith.trunci %h : i32 to i1
  %positive = arith.xori %sign, %true : i1
  %r = arith.select %positive, %x, %zero : i32
  func.return %r : i32
}

// Of an extended value, the comparison before the extension.
// CHECK-LABEL: func.func @extended(
func.func @extended(%x: i20) -> i32 {
  // CHECK: %r = arith.select {{.*}} {tensorlift.relu = {width = 20 : i64}} : i32
  %zero = arith.constant 0 : i20
  %zero32 = arith.constant 0 : i32
  %negative = arith.cmpi slt, %x, %zero : i20
  %wide = arith.extsi %x : i20 to i32
  %r = arith.select %negative, %zero32, %wide : i32
  func.return %r : i32
}

// The largest of x and 1 is none, nor is the least of x and 0 one.
// CHECK-LABEL: func.func @not_zero(
func.func @not_zero(%x: i32) -> (i32, i32) {
  // CHECK-NOT: tensorlift.relu
  // CHECK: return
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %small = arith.cmpi slt, %x, %one : i32
  %r = arith.select %small, %one, %x : i32
  %positive = arith.cmpi sgt, %x, %zero : i32
  %s = arith.select %positive, %zero, %x : i32
  func.return %r, %s : i32, i32
}
