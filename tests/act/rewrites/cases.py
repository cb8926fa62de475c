"""For each rule kernels on which it must propose something, and near ones on which it must not.  `T` is any element type,
PLAIN the dimension numbers of a product of matrices.

FIRES and SILENT: rule name -> kernels; a kernel is its parameters and its instructions, separated by `;`.
"""

FIRES: dict[str, list[str]] = {
    "transpose_without_effect": [
        "a:T[2,3]; r = T[2,3] transpose(a), dimensions={0,1}",
        "a:T[2,1,3]; r = T[1,2,3] transpose(a), dimensions={1,0,2}",
    ],
    "transpose_of_transpose": ["a:T[2,3,4]; b = T[4,2,3] transpose(a), dimensions={2,0,1}; r = T[3,4,2] transpose(b), dimensions={2,0,1}"],
    "reshape_of_reshape": ["a:T[2,6]; b = T[12] reshape(a); r = T[3,4] reshape(b)", "a:T[2,6]; b = T[12] reshape(a); r = T[2,6] reshape(b)"],
    "broadcast_without_effect": [
        "a:T[2,3]; r = T[2,3] broadcast(a), dimensions={0,1}",
        "a:T[2,3]; r = T[2,1,3] broadcast(a), dimensions={0,2}",
    ],
    "broadcast_of_broadcast": ["a:T[2,3]; b = T[3,5,2] broadcast(a), dimensions={2,0}; r = T[2,4,3,5] broadcast(b), dimensions={2,3,0}"],
    "broadcast_of_reshape": ["a:T[3]; b = T[1,3] reshape(a); r = T[1,2,3] broadcast(b), dimensions={0,2}"],
    "reverse_without_effect": ["a:T[1,3]; r = T[1,3] reverse(a), dimensions={0}", "a:T[1,3]; r = T[1,3] reverse(a), dimensions={0,1}"],
    "reverse_of_reverse": [
        "a:T[2,3]; b = T[2,3] reverse(a), dimensions={0,1}; r = T[2,3] reverse(b), dimensions={1}",
        "a:T[2,3]; b = T[2,3] reverse(a), dimensions={1}; r = T[2,3] reverse(b), dimensions={1}",
    ],
    "concatenate_of_one": ["a:T[2,3]; r = T[2,3] concatenate(a), dimensions={1}"],
    "concatenate_of_concatenate": ["a:T[2] b:T[3]; c = T[5] concatenate(a, b), dimensions={0}; r = T[7] concatenate(a, c), dimensions={0}"],
    "pad_without_effect": ["a:T[2,3] z:T[]; r = T[2,3] pad(a, z), padding=0_0x0_0"],
    "pad_of_pad": ["a:T[2,3] z:T[]; b = T[5,3] pad(a, z), padding=1_2x0_0; r = T[5,6] pad(b, z), padding=0_0x2_1"],
    "movement_of_constant": ["a:T[2]; c = T[] constant(1); b = T[2,3] broadcast(c), dimensions={}; r = T[3,2] transpose(b), dimensions={1,0}"],
    "slice_without_effect": ["a:T[4,3]; r = T[4,3] slice(a), slice={[0:4], [0:3]}", "a:T[5]; r = T[2] slice(a), slice={[0:4:2]}"],
    "slice_of_slice": [
        "a:T[9,4]; b = T[4,3] slice(a), slice={[1:9:2], [1:4]}; r = T[2,2] slice(b), slice={[0:4:2], [1:3]}",
        "a:T[9]; b = T[4] slice(a), slice={[1:8:2]}; r = T[4] slice(b), slice={[0:4]}",
        "a:T[9]; b = T[4] slice(a), slice={[1:9:2]}; r = T[2] slice(b), slice={[1:3]}",
    ],
    "slice_of_concatenate": [
        "a:T[2,3] b:T[4,3]; c = T[6,3] concatenate(a, b), dimensions={0}; r = T[2,2] slice(c), slice={[3:6:2], [0:2]}",
        "a:T[2,3] b:T[4,3]; c = T[6,3] concatenate(a, b), dimensions={0}; r = T[2,3] slice(c), slice={[0:2], [0:3]}",
        "a:T[2] b:T[4]; c = T[6] concatenate(a, b), dimensions={0}; r = T[1] slice(c), slice={[1:5:4]}",
    ],
    "slice_of_pad": ["a:T[4,3] z:T[]; b = T[7,4] pad(a, z), padding=1_2x-1_2; r = T[2,2] slice(b), slice={[2:5:2], [0:2]}"],
    "slice_of_broadcast": [
        "a:T[4]; b = T[2,4] broadcast(a), dimensions={1}; r = T[1,2] slice(b), slice={[1:2], [1:4:2]}",
        "a:T[4,2]; b = T[2,3,4] broadcast(a), dimensions={2,0}; r = T[1,2,2] slice(b), slice={[1:2], [0:2], [1:3]}",
    ],
    "slice_of_transpose": ["a:T[2,3,4]; b = T[4,2,3] transpose(a), dimensions={2,0,1}; r = T[2,1,2] slice(b), slice={[0:4:2], [1:2], [1:3]}"],
    "slice_of_reverse": ["a:T[5,3]; b = T[5,3] reverse(a), dimensions={0}; r = T[2,2] slice(b), slice={[1:4:2], [1:3]}"],
    "movement_of_elementwise": [
        "a:T[4,3] b:T[4,3]; c = T[4,3] add(a, b); r = T[2,3] slice(c), slice={[1:3], [0:3]}",
        "a:T[2,3] l:T[] h:T[2,3]; c = T[2,3] clamp(l, a, h); r = T[3,2] transpose(c), dimensions={1,0}",
        "p:pred[] a:T[2,3] b:T[2,3]; c = T[2,3] select(p, a, b); r = T[6] reshape(c)",
        "a:s8[2,3]; c = T[2,3] convert(a); r = T[2,3] reverse(c), dimensions={1}",
        "a:T[3] b:T[3]; c = pred[3] compare(a, b), direction=LE; r = pred[2,3] broadcast(c), dimensions={1}",
    ],
    "subtract_is_sum": ["a:T[2] b:T[2]; r = T[2] subtract(a, b)", "a:T[2]; r = T[2] subtract(a, a)"],
    "negate_of_negate": ["a:T[2]; b = T[2] negate(a); r = T[2] negate(b)"],
    "negate_of_sum": ["a:T[2] b:T[2]; c = T[2] add(a, b); r = T[2] negate(c)", "a:T[2] b:T[2]; c = T[2] subtract(a, b); r = T[2] negate(c)"],
    "sum_cancels": ["a:T[2] b:T[2]; n = T[2] negate(a); c = T[2] add(b, n); r = T[2] add(c, a)", "a:T[2]; n = T[2] negate(a); r = T[2] add(a, n)"],
    "multiply_by_constant": [f"a:T[]; c = T[] constant({value}); r = T[] multiply(a, c)" for value in (0, 1, 2, 4)],
    "divide_by_one": ["a:T[]; c = T[] constant(1); r = T[] divide(a, c)"],
    "bitwise_with_constant": [f"a:T[]; c = T[] constant(0); r = T[] {operator}(c, a)" for operator in ("and", "or", "xor")]
    + [f"a:T[]; c = T[] constant(0); d = T[] not(c); r = T[] {operator}(a, d)" for operator in ("and", "or", "xor")],
    "bitwise_with_itself": [f"a:T[2]; r = T[2] {operator}(a, a)" for operator in ("and", "or", "xor")],
    "not_of_not": ["a:T[2]; b = T[2] not(a); r = T[2] not(b)"],
    "not_of_compare": [f"a:T[2] b:T[2]; c = pred[2] compare(a, b), direction={way}; r = pred[2] not(c)" for way in ("EQ", "NE", "LT", "LE", "GT", "GE")],
    "limit_with_itself": ["a:T[2]; r = T[2] maximum(a, a)", "a:T[2]; r = T[2] minimum(a, a)"],
    "limit_absorbs": [
        "a:T[2] b:T[2]; c = T[2] minimum(b, a); r = T[2] maximum(a, c)",
        "a:T[2] b:T[2]; c = T[2] maximum(a, b); r = T[2] minimum(c, a)",
    ],
    "limit_by_range": [
        "a:u8[2] b:T[2]; c = s32[2] convert(a); n = s32[2] constant({0, -1}); r = s32[2] maximum(c, n)",
        "a:s8[2] b:T[2]; c = s32[2] convert(a); n = s32[2] constant({127, 128}); r = s32[2] minimum(n, c)",
    ],
    "limits_are_clamp": [
        "a:T[]; l = T[] constant(1); h = T[] constant(3); b = T[] maximum(l, a); r = T[] minimum(b, h)",
        "a:T[]; l = T[] constant(3); h = T[] constant(1); b = T[] maximum(a, l); r = T[] minimum(h, b)",
    ],
    "select_without_effect": [
        "a:T[] b:T[]; p = pred[] constant(true); r = T[] select(p, a, b)",
        "a:T[] b:T[]; p = pred[] constant(false); r = T[] select(p, a, b)",
        "p:pred[2] a:T[2]; r = T[2] select(p, a, a)",
    ],
    "select_of_not": ["p:pred[2] a:T[2] b:T[2]; n = pred[2] not(p); r = T[2] select(n, a, b)"],
    "select_is_limit": [
        f"a:T[2] b:T[2]; c = pred[2] compare({x}, {y}), direction={way}; r = T[2] select(c, a, b)" for x, y in ("ab", "ba") for way in ("LT", "LE", "GT", "GE")
    ],
    "compare_by_range": [
        f"a:u8[2]; c = s32[2] convert(a); n = s32[2] constant({{0, {value}}}); r = pred[2] compare(c, n), direction={way}"
        for value, way in ((-3, "GE"), (-3, "LT"))
    ]
    + [f"a:T[2]; r = pred[2] compare(a, a), direction={way}" for way in ("EQ", "NE", "LT", "LE", "GT", "GE")],
    "abs_of_positive": ["a:T[2]; r = T[2] abs(a)"],
    "convert_of_ring": [f"a:s32[2] b:s32[2]; c = s32[2] {operator}(a, b); r = T[2] convert(c)" for operator in ("add", "subtract", "multiply")]
    + [
        "a:s32[2]; c = s32[2] negate(a); r = T[2] convert(c)",
        "a:T[2,3] b:T[3,2]; c = s32[2,2] dot(a, b), PLAIN; r = T[2,2] convert(c)",
    ],
    "convert_of_limit": [
        "a:u8[2] b:u8[2]; c = u8[2] maximum(a, b); r = s32[2] convert(c)",
        "a:s8[2] l:s8[] h:s8[2]; c = s8[2] clamp(l, a, h); r = s20[2] convert(c)",
    ],
    "convert_of_select": ["p:pred[2] a:s32[2] b:s32[2]; c = s32[2] select(p, a, b); r = T[2] convert(c)"],
    "limit_of_converted": ["a:s8[2] b:s8[2]; c = s32[2] convert(a); d = s32[2] convert(b); r = s32[2] minimum(c, d)"],
    "bitcast_is_convert": ["a:u8[2]; r = s8[2] bitcast-convert(a)", "a:s20[2]; r = u20[2] bitcast-convert(a)"],
    "bitcast_of_bitcast": [
        "a:T[2]; b = u8[2,4] bitcast-convert(a); r = T[2] bitcast-convert(b)",
        "a:f32[2]; b = s32[2] bitcast-convert(a); r = u32[2] bitcast-convert(b)",
    ],
    "compare_of_converted": ["a:s8[2] b:s8[2]; c = s32[2] convert(a); d = s32[2] convert(b); r = pred[2] compare(c, d), direction=LT"],
    "dot_of_transpose": [
        "a:T[3,2] b:T[3,4]; t = T[2,3] transpose(a), dimensions={1,0}; r = T[2,4] dot(t, b), PLAIN",
        "a:T[2,3] b:T[3,2,4]; t = T[4,3,2] transpose(b), dimensions={2,0,1}; "
        "r = T[2,4] dot(a, t), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_batch_dims={0}, rhs_batch_dims={2}",
    ],
    "transpose_of_dot": [
        "a:T[2,3] b:T[3,4]; d = T[2,4] dot(a, b), PLAIN; r = T[4,2] transpose(d), dimensions={1,0}",
        "a:T[2,3,2] b:T[2,2,4]; d = T[2,3,4] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}; "
        "r = T[2,4,3] transpose(d), dimensions={0,2,1}",
    ],
    "dot_in_plain_form": [
        "a:T[3,2] b:T[4,3]; r = T[2,4] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={1}",
        "a:T[2,3] b:T[4,3]; r = T[2,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
    ],
    "dot_of_zero": ["a:T[2,3]; z = T[] constant(0); b = T[3,2] broadcast(z), dimensions={}; r = T[2,2] dot(a, b), PLAIN"],
    "dot_of_padded_sum": [
        "a:T[2,3] b:T[6,2]; z = T[] constant(0); p = T[2,6] pad(a, z), padding=0_0x1_2; r = T[2,2] dot(p, b), PLAIN",
        "a:T[2,5] b:T[4,2]; z = T[] constant(0); p = T[5,2] pad(b, z), padding=1_0x0_0; r = T[2,2] dot(a, p), PLAIN",
    ],
    "dot_of_padded_rows": [
        "a:T[2,3] b:T[3,2]; z = T[] constant(0); p = T[6,3] pad(a, z), padding=1_2_1x0_0; r = T[6,2] dot(p, b), PLAIN",
        "a:T[2,3] b:T[3,2]; z = T[] constant(0); p = T[3,3] pad(b, z), padding=0_0x-1_2; r = T[2,3] dot(a, p), PLAIN",
        "a:T[2,2,3] b:T[2,3,2]; z = T[] constant(0); p = T[2,3,3] pad(a, z), padding=0_0x0_1x0_0; "
        "r = T[2,3,2] dot(p, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}",
        "a:T[2,2,3] b:T[2,3,2]; z = T[] constant(0); p = T[2,3,3] pad(b, z), padding=0_0x0_0x0_1; "
        "r = T[2,2,3] dot(a, p), lhs_batch_dims={1}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}",
    ],
    "dot_of_blocks": [
        "a:T[2,1] b:T[2,2] c:T[3,2]; l = T[2,3] concatenate(a, b), dimensions={1}; r = T[2,2] dot(l, c), PLAIN",
        "a:T[2,3] b:T[2,2] c:T[1,2]; l = T[3,2] concatenate(b, c), dimensions={0}; r = T[2,2] dot(a, l), PLAIN",
    ],
    "reduce_is_dot": [
        "a:T[2,3]; z = T[] constant(0); r = T[2] reduce(a, z), dimensions={1}, to_apply=add",
        "a:T[2,3,2] i:T[]; r = T[3] reduce(a, i), dimensions={0,2}, to_apply=add",
        "a:T[2,3] i:T[]; r = T[] reduce(a, i), dimensions={0,1}, to_apply=add",
    ],
}

SILENT: dict[str, list[str]] = {
    "transpose_without_effect": ["a:T[2,3]; r = T[3,2] transpose(a), dimensions={1,0}", "a:T[2,1,3]; r = T[3,1,2] transpose(a), dimensions={2,1,0}"],
    "broadcast_without_effect": [
        "a:T[2,2]; r = T[2,2] broadcast(a), dimensions={1,0}",
        "a:T[2,3]; r = T[2,2,3] broadcast(a), dimensions={0,2}",
    ],
    "broadcast_of_reshape": ["a:T[2,3]; b = T[6] reshape(a); r = T[6,2] broadcast(b), dimensions={0}"],
    "reverse_without_effect": ["a:T[2,3]; r = T[2,3] reverse(a), dimensions={0}"],
    "concatenate_of_concatenate": ["a:T[2,2] b:T[2,2]; c = T[4,2] concatenate(a, b), dimensions={0}; r = T[4,4] concatenate(c, c), dimensions={1}"],
    "pad_without_effect": ["a:T[2,3] z:T[]; r = T[2,4] pad(a, z), padding=0_0x0_1", "a:T[2] z:T[]; r = T[2] pad(a, z), padding=1_-1"],
    "pad_of_pad": [
        "a:T[2] z:T[] y:T[]; b = T[3] pad(a, z), padding=1_0; r = T[4] pad(b, y), padding=1_0",
        "a:T[2] z:T[]; b = T[1] pad(a, z), padding=-1_0; r = T[2] pad(b, z), padding=1_0",
        "a:T[2] z:T[]; b = T[3] pad(a, z), padding=0_0_1; r = T[4] pad(b, z), padding=1_0",
    ],
    "slice_without_effect": ["a:T[4,3]; r = T[4,2] slice(a), slice={[0:4], [0:2]}", "a:T[5]; r = T[3] slice(a), slice={[0:5:2]}"],
    "slice_of_concatenate": [
        "a:T[2] b:T[4]; c = T[6] concatenate(a, b), dimensions={0}; r = T[2] slice(c), slice={[1:3]}",
        "a:T[2] b:T[4]; c = T[6] concatenate(a, b), dimensions={0}; r = T[2] slice(c), slice={[1:6:3]}",
    ],
    "slice_of_pad": [
        "a:T[4] z:T[]; b = T[6] pad(a, z), padding=1_1; r = T[2] slice(b), slice={[0:2]}",
        "a:T[4] z:T[]; b = T[6] pad(a, z), padding=1_1; r = T[2] slice(b), slice={[4:6]}",
        "a:T[3] z:T[]; b = T[5] pad(a, z), padding=0_0_1; r = T[2] slice(b), slice={[1:3]}",
    ],
    "limits_are_clamp": ["a:T[2] l:T[2] h:T[2]; b = T[2] maximum(l, a); r = T[2] minimum(b, h)"],
    "select_without_effect": ["p:pred[2] a:T[2] b:T[2]; r = T[2] select(p, a, b)"],
    "select_is_limit": [
        "a:T[2] b:T[2]; c = pred[2] compare(a, b), direction=EQ; r = T[2] select(c, a, b)",
        "a:T[2] b:T[2] d:T[2]; c = pred[2] compare(a, d), direction=GT; r = T[2] select(c, a, b)",
        "a:f32[2] b:f32[2]; c = pred[2] compare(a, b), direction=GT; r = f32[2] select(c, a, b)",
    ],
    "limit_absorbs": ["a:f32[2] b:f32[2]; c = f32[2] minimum(b, a); r = f32[2] maximum(a, c)", "a:T[2] b:T[2]; c = T[2] maximum(b, a); r = T[2] maximum(a, c)"],
    "not_of_compare": ["a:f32[2] b:f32[2]; c = pred[2] compare(a, b), direction=LT; r = pred[2] not(c)"],
    "subtract_is_sum": ["a:f32[2] b:f32[2]; r = f32[2] subtract(a, b)"],
    "multiply_by_constant": ["a:T[]; c = T[] constant(3); r = T[] multiply(a, c)", "a:f32[]; c = f32[] constant(0); r = f32[] multiply(a, c)"],
    "convert_of_ring": [
        "a:s8[2] b:s8[2]; c = s8[2] add(a, b); r = s32[2] convert(c)",
        "a:f32[2] b:f32[2]; c = f32[2] subtract(a, b); r = s8[2] convert(c)",
        "a:s32[2] b:s32[2]; c = s32[2] maximum(a, b); r = s8[2] convert(c)",
    ],
    "convert_of_limit": [
        "a:s8[2] b:s8[2]; c = s8[2] maximum(a, b); r = u32[2] convert(c)",
        "a:s32[2] b:s32[2]; c = s32[2] maximum(a, b); r = s8[2] convert(c)",
    ],
    "limit_of_converted": [
        "a:s8[2] b:u8[2]; c = s32[2] convert(a); d = s32[2] convert(b); r = s32[2] minimum(c, d)",
        "a:s32[2] b:s32[2]; c = s8[2] convert(a); d = s8[2] convert(b); r = s8[2] minimum(c, d)",
    ],
    "compare_of_converted": ["a:s8[2] b:s8[2]; c = u32[2] convert(a); d = u32[2] convert(b); r = pred[2] compare(c, d), direction=LT"],
    "bitcast_is_convert": ["a:f32[2]; r = s32[2] bitcast-convert(a)", "a:s32[2]; r = f32[2] bitcast-convert(a)"],
    "bitcast_of_bitcast": ["a:u8[4,2]; b = u16[4] bitcast-convert(a); r = u4[4,4] bitcast-convert(b)"],
    "dot_of_transpose": [
        "a:T[2,3,2] b:T[2]; t = T[3,2,2] transpose(a), dimensions={1,0,2}; r = T[3,2] dot(t, b), lhs_contracting_dims={2}, rhs_contracting_dims={0}",
    ],
    "transpose_of_dot": [
        "a:T[2,2,3] b:T[3]; d = T[2,2] dot(a, b), lhs_contracting_dims={2}, rhs_contracting_dims={0}; r = T[2,2] transpose(d), dimensions={1,0}",
    ],
    "dot_in_plain_form": ["a:T[2,3] b:T[3,4]; r = T[2,4] dot(a, b), PLAIN"],
    "dot_of_zero": ["a:f32[2,3]; z = f32[] constant(0); b = f32[3,2] broadcast(z), dimensions={}; r = f32[2,2] dot(a, b), PLAIN"],
    "dot_of_padded_sum": [
        "a:T[2,3] b:T[4,2]; z = T[] constant(1); p = T[2,4] pad(a, z), padding=0_0x1_0; r = T[2,2] dot(p, b), PLAIN",
        "a:T[2,3] b:T[2,2]; z = T[] constant(0); p = T[2,2] pad(a, z), padding=0_0x-1_0; r = T[2,2] dot(p, b), PLAIN",
        "a:T[2,2] b:T[3,2]; z = T[] constant(0); p = T[2,3] pad(a, z), padding=0_0x0_0_1; r = T[2,2] dot(p, b), PLAIN",
    ],
    "dot_of_padded_rows": [
        "a:T[2,3] b:T[3,2]; z = T[] constant(1); p = T[3,3] pad(a, z), padding=1_0x0_0; r = T[3,2] dot(p, b), PLAIN",
    ],
    "dot_of_blocks": [
        "a:T[1,2] b:T[2,2] c:T[2,2]; l = T[3,2] concatenate(a, b), dimensions={0}; r = T[3,2] dot(l, c), PLAIN",
    ],
    "reduce_is_dot": [
        "a:T[2,3]; z = T[] constant(0); r = T[2] reduce(a, z), dimensions={1}, to_apply=maximum",
        "a:f32[2,3]; z = f32[] constant(0); r = f32[2] reduce(a, z), dimensions={1}, to_apply=add",
    ],
}
