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

// Conditional stores of the other mode disappear; those of this mode are unconditional.
// CHECK-LABEL: func.func @store(
// CHECK-NOT: scf.if
// CHECK: memref.store %a
// CHECK-NOT: memref.store
// CHECK: return
func.func @store(%a: i8, %b: i8, %mode: i1 {rtl.name = "mode"}, %at: i4, %m: memref<16xi8>) attributes {taidl.specialize = {mode = 1 : i64}} {
  %true = arith.constant true
  %i = arith.index_castui %at : i4 to index
  scf.if %mode {
    memref.store %a, %m[%i] : memref<16xi8>
  }
  %other = arith.xori %mode, %true : i1
  scf.if %other {
    memref.store %b, %m[%i] : memref<16xi8>
  }
  func.return
}

// Nothing to specialise: nothing changes.
// CHECK-LABEL: func.func @plain(
// CHECK: scf.if
func.func @plain(%a: i8, %mode: i1 {rtl.name = "mode"}, %at: i4, %m: memref<16xi8>) {
  %i = arith.index_castui %at : i4 to index
  scf.if %mode {
    memref.store %a, %m[%i] : memref<16xi8>
  }
  func.return
}
