// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// All that is shifted out is added to negative numbers first.
// CHECK-LABEL: func.func @biased(
func.func @biased(%x: i16) -> i16 {
  // CHECK: %r = arith.shrsi {{.*}} {tensorlift.round = {mode = "toward_zero", signed = true, width = 16 : i64, shift = 4 : i64}} : i16
  %all = arith.constant 15 : i16
  %zero = arith.constant 0 : i16
  %four = arith.constant 4 : i16
  %negative = arith.cmpi slt, %x, %zero : i16
  %bias = arith.select %negative, %all, %zero : i16
  %s = arith.addi %x, %bias : i16
  %r = arith.shrsi %s, %four : i16
  func.return %r : i16
}

// One is added if the number is negative and a bit is lost; the amount is variable.
// CHECK-LABEL: func.func @variable(
func.func @variable(%x: i16, %s: i4) -> i16 {
  // CHECK: %r = arith.addi {{.*}} {tensorlift.round = {mode = "toward_zero", signed = true, width = 16 : i64}} : i16
  %zero = arith.constant 0 : i16
  %ones = arith.constant -1 : i16
  %by = arith.extui %s : i4 to i16
  %kept = arith.shrsi %x, %by : i16
  %mask = arith.shli %ones, %by : i16
  %below = arith.xori %mask, %ones : i16
  %dropped = arith.andi %x, %below : i16
  %some = arith.cmpi ne, %dropped, %zero : i16
  %negative = arith.cmpi slt, %x, %zero : i16
  %up = arith.andi %negative, %some : i1
  %bit = arith.extui %up : i1 to i16
  %r = arith.addi %kept, %bit : i16
  func.return %r : i16
}

// A signed division by a power of two.
// CHECK-LABEL: func.func @division(
func.func @division(%x: i16) -> i16 {
  // CHECK: %r = arith.divsi {{.*}} {tensorlift.round = {mode = "toward_zero", signed = true, width = 16 : i64, shift = 3 : i64}} : i16
  %eight = arith.constant 8 : i16
  %r = arith.divsi %x, %eight : i16
  func.return %r : i16
}

// One is added whether or not a bit is lost.
// CHECK-LABEL: func.func @always_one(
func.func @always_one(%x: i16) -> i16 {
  // CHECK-NOT: tensorlift
  // CHECK: return
  %zero = arith.constant 0 : i16
  %four = arith.constant 4 : i16
  %kept = arith.shrsi %x, %four : i16
  %negative = arith.cmpi slt, %x, %zero : i16
  %bit = arith.extui %negative : i1 to i16
  %r = arith.addi %kept, %bit : i16
  func.return %r : i16
}

// Division by what is no power of two.
// CHECK-LABEL: func.func @by_ten(
func.func @by_ten(%x: i16) -> i16 {
  // CHECK-NOT: tensorlift
  // CHECK: return
  %ten = arith.constant 10 : i16
  %r = arith.divsi %x, %ten : i16
  func.return %r : i16
}
