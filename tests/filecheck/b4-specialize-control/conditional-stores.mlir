// RUN: tensorlift-opt %s -p b4-specialize-control | filecheck %s

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
