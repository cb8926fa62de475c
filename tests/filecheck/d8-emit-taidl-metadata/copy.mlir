// RUN: tensorlift-opt %s -p b3-detect-mac,c7-lift-to-linalg,d8-emit-taidl-metadata | filecheck %s

// CHECK-LABEL: func.func @copy(
// CHECK-SAME: %rows: i4 {rtl.name = "rows", taidl.roles = ["control"]}
// CHECK-SAME: %from: memref<16xi8> {taidl.roles = ["data"], taidl.footprint = {reads = -1 : i64, writes = 0 : i64, addressed_by = []}, taidl.strides = [{count = -1 : i64, words = 1 : i64}]}
// CHECK-SAME: %to: memref<16xi8> {taidl.roles = ["output"], taidl.footprint = {reads = 0 : i64, writes = -1 : i64, addressed_by = []}, taidl.strides = [{count = -1 : i64, words = 1 : i64}]}
// CHECK-SAME: taidl.kind = "move"
func.func @copy(%rows: i4 {rtl.name = "rows"}, %from: memref<16xi8>, %to: memref<16xi8>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.index_castui %rows : i4 to index
  scf.for %i = %zero to %n step %one {
    %v = memref.load %from[%i] : memref<16xi8>
    memref.store %v, %to[%i] : memref<16xi8>
  }
  func.return
}

// A register: no array, no MAC, no grid; a shift amount is control, an unused argument nothing.
// CHECK-LABEL: func.func @update(
// CHECK-SAME: %x: i8 {taidl.roles = ["data"]}
// CHECK-SAME: %s: i8 {taidl.roles = ["control"]}
// CHECK-SAME: %unused: i8 {taidl.roles = []}
// CHECK-SAME: attributes {taidl.kind = "update"}
// CHECK-NOT: taidl.grid
// CHECK: return
func.func @update(%x: i8, %s: i8, %unused: i8) -> i8 {
  %r = arith.shrui %x, %s : i8
  func.return %r : i8
}
