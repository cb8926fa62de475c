// RUN: tensorlift-opt %s -p b3-detect-mac,c7-lift-to-linalg | filecheck %s

// CHECK-LABEL: func.func @dot(
func.func @dot(%row: i32, %base: i6, %weights: memref<64xi16>, %bias: i20) -> i20 {
  // CHECK: tensorlift.linalg_op = "dot_product"
  // CHECK-SAME: tensorlift.a = {kind = "part", stride = 8 : i64, offset = 0 : i64, bit = 0 : i64, masked = false}
  // CHECK-SAME: tensorlift.b = {kind = "load", stride = -1 : i64, offset = 3 : i64, bit = 8 : i64, masked = false}
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 4 : index
  %c8 = arith.constant 8 : i32
  %b8 = arith.constant 8 : i16
  %minus = arith.constant -1 : i6
  %three = arith.constant 3 : i6
  %r = scf.for %k = %zero to %n step %one iter_args(%sum = %bias) -> (i20) {
    %k32 = arith.index_castui %k : index to i32
    %at = arith.muli %k32, %c8 : i32
    %word = arith.shrui %row, %at : i32
    %a = arith.trunci %word : i32 to i8
    %k6 = arith.index_castui %k : index to i6
    %down = arith.muli %k6, %minus : i6
    %place = arith.addi %down, %three : i6
    %address = arith.addi %base, %place : i6
    %i = arith.index_castui %address : i6 to index
    %pair = memref.load %weights[%i] : memref<64xi16>
    %high = arith.shrui %pair, %b8 : i16
    %b = arith.trunci %high : i16 to i8
    %x = arith.extsi %a : i8 to i20
    %y = arith.extsi %b : i8 to i20
    %p = arith.muli %x, %y : i20
    %next = arith.addi %sum, %p : i20
    scf.yield %next : i20
  }
  func.return %r : i20
}
