// RUN: tensorlift-opt %s -p d8-emit-taidl-metadata | filecheck %s

// Rows of a tile: the address in the host moves by a field, that on chip by 16 words a block and one a row.
// CHECK-LABEL: func.func @tile(
// CHECK-SAME: %host: memref<1024xi8> {taidl.roles = ["data"], taidl.footprint = {reads = -1 : i64, writes = 0 : i64, addressed_by = ["base", "stride"]}, taidl.strides = [{count = 4 : i64, words = 0 : i64}, {count = -1 : i64, words = -1 : i64, by = "stride"}]}
// CHECK-SAME: %chip: memref<1024xi8> {taidl.roles = ["output"], taidl.footprint = {{{.*}}}, taidl.strides = [{count = 4 : i64, words = 16 : i64}, {count = -1 : i64, words = 1 : i64}]}
func.func @tile(%rows: i5 {rtl.name = "rows"}, %base: i10 {rtl.name = "base"}, %s: i10 {rtl.name = "stride"}, %host: memref<1024xi8>, %chip: memref<1024xi8>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %sixteen = arith.constant 16 : i10
  %n = arith.index_castui %rows : i5 to index
  scf.for %block = %zero to %four step %one {
    scf.for %row = %zero to %n step %one {
      %r = arith.index_castui %row : index to i10
      %b = arith.index_castui %block : index to i10
      %p = arith.muli %r, %s : i10
      %a = arith.addi %base, %p : i10
      %from = arith.index_castui %a : i10 to index
      %v = memref.load %host[%from] : memref<1024xi8>
      %q = arith.muli %b, %sixteen : i10
      %t = arith.addi %q, %r : i10
      %to = arith.index_castui %t : i10 to index
      memref.store %v, %chip[%to] : memref<1024xi8>
    }
  }
  func.return
}

// Unrolled: every other word, downwards.
// CHECK-LABEL: func.func @unrolled(
// CHECK-SAME: %m: memref<64xi8> {{{.*}}taidl.strides = [{count = 3 : i64, words = -2 : i64}]}
func.func @unrolled(%base: i6 {rtl.name = "base"}, %m: memref<64xi8>) -> i8 {
  %two = arith.constant 2 : i6
  %four = arith.constant 4 : i6
  %i0 = arith.index_castui %base : i6 to index
  %b1 = arith.subi %base, %two : i6
  %i1 = arith.index_castui %b1 : i6 to index
  %b2 = arith.subi %base, %four : i6
  %i2 = arith.index_castui %b2 : i6 to index
  %x = memref.load %m[%i0] : memref<64xi8>
  %y = memref.load %m[%i1] : memref<64xi8>
  %z = memref.load %m[%i2] : memref<64xi8>
  %s = arith.addi %x, %y : i8
  %r = arith.addi %s, %z : i8
  func.return %r : i8
}

// Two addresses that have nothing to do with each other, and three at different distances.
// CHECK-LABEL: func.func @irregular(
// CHECK-NOT: taidl.strides
// CHECK: return
func.func @irregular(%p: i6, %q: i6, %m: memref<64xi8>, %w: memref<64xi8>) -> i8 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %i = arith.index_castui %p : i6 to index
  %j = arith.index_castui %q : i6 to index
  %a = memref.load %m[%i] : memref<64xi8>
  %b = memref.load %m[%j] : memref<64xi8>
  %c = memref.load %w[%c0] : memref<64xi8>
  %d = memref.load %w[%c1] : memref<64xi8>
  %e = memref.load %w[%c5] : memref<64xi8>
  %s = arith.addi %a, %b : i8
  %t = arith.addi %c, %d : i8
  %u = arith.addi %s, %t : i8
  %r = arith.addi %u, %e : i8
  func.return %r : i8
}
