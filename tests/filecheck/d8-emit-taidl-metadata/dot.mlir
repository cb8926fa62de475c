// RUN: tensorlift-opt %s -p b3-detect-mac,c7-lift-to-linalg,d8-emit-taidl-metadata | filecheck %s

// CHECK-LABEL: func.func @dot(
// CHECK-SAME: %row: i32 {rtl.name = "row", taidl.roles = ["input"]}
// CHECK-SAME: %base: i6 {rtl.name = "base", taidl.roles = ["address"]}
// CHECK-SAME: %weights: memref<64xi8> {rtl.name = "weights", taidl.roles = ["weight"], taidl.footprint = {reads = 4 : i64, writes = 0 : i64, addressed_by = ["base"]}, taidl.strides = [{count = 4 : i64, words = 1 : i64}]}
// CHECK-SAME: %bias: i20 {rtl.name = "bias", taidl.roles = ["accumulator"]}
// CHECK-SAME: taidl.kind = "compute", taidl.grid = [1 : i64, 1 : i64, 4 : i64]
func.func @dot(%row: i32 {rtl.name = "row"}, %base: i6 {rtl.name = "base"}, %weights: memref<64xi8> {rtl.name = "weights"}, %bias: i20 {rtl.name = "bias"}) -> i20 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 4 : index
  %c8 = arith.constant 8 : i32
  %r = scf.for %k = %zero to %n step %one iter_args(%sum = %bias) -> (i20) {
    %k32 = arith.index_castui %k : index to i32
    %at = arith.muli %k32, %c8 : i32
    %word = arith.shrui %row, %at : i32
    %a = arith.trunci %word : i32 to i8
    %k6 = arith.index_castui %k : index to i6
    %address = arith.addi %base, %k6 : i6
    %i = arith.index_castui %address : i6 to index
    %b = memref.load %weights[%i] : memref<64xi8>
    %x = arith.extsi %a : i8 to i20
    %y = arith.extsi %b : i8 to i20
    %p = arith.muli %x, %y : i20
    %next = arith.addi %sum, %p : i20
    scf.yield %next : i20
  }
  func.return %r : i20
}
