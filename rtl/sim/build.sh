# The part that the runners share: builds the Verilated model when it is missing or older than a source, then becomes it.
# Expects from the script that includes it: name, top, size (what is built, for messages), parameters (-G options of Verilator),
# runner (the executable), build_only (yes or no), here, design, cache.

die() {
    echo "$name runner: $1" >&2
    exit 2
}

up_to_date() {
    [ -x "$runner" ] || return 1
    for source in "$design"/*.v "$here"/*.cpp "$here"/*.h "$here"/*.vlt "$here"/*.sh "$here/$name"; do
        [ "$runner" -nt "$source" ] || return 1
    done
}

# compile SOURCE OBJECT LEVEL
compile() {
    g++ "$3" -std=c++17 -DVM_COVERAGE=0 -DVM_SC=0 -DVM_TRACE=0 "-DMACHINE=\"${name}_machine.h\"" "-I$work" "-I$here" "-I$include" "-I$include/vltstd" -c "$1" -o "$2"
}

# Verilator's own runtime is the same for every model: compiled once.
compile_runtime() {
    for unit in verilated verilated_threads; do
        if [ ! "$cache/$unit.o" -nt "$include/$unit.cpp" ]; then
            compile "$include/$unit.cpp" "$work/$unit.o" -O1 && mv "$work/$unit.o" "$cache/$unit.o" || return 1
        fi
    done
}

# Two translation units, because many small ones would spend their time on the same headers: what runs once, and what
# runs every cycle and is worth optimising.
compile_model() {
    for file in "$work"/Model*.cpp; do
        case ${file##*/} in
            Model___*__Slow.cpp | Model.cpp | Model__[!_]*.cpp) part=once ;;
            *) part=every_cycle ;;
        esac
        echo "#include \"${file##*/}\"" >>"$work/$part.cpp"
    done
    compile "$work/once.cpp" "$work/once.o" -O0 && compile "$work/every_cycle.cpp" "$work/every_cycle.o" -O1
}

compile_all() {
    include=$(verilator --getenv VERILATOR_ROOT)/include
    compile_runtime && compile_model && compile "$here/runner.cpp" "$work/runner.o" -O1 || return 1
    g++ "$work/once.o" "$work/every_cycle.o" "$work/runner.o" "$cache/verilated.o" "$cache/verilated_threads.o" \
        -pthread -o "$work/runner"
}

build() (
    for tool in verilator g++ flock; do
        command -v $tool >/dev/null || die "$tool is not installed; the RTL runner needs it (Debian: apt-get install verilator g++ util-linux)"
    done
    mkdir -p "$cache" && exec 9>"$cache/lock" && flock 9 || exit 1
    if up_to_date; then exit 0; fi
    work=$cache/work
    rm -rf "$work"
    : >"$cache/stamp"
    verilator --cc -Wno-fatal --prefix Model --top-module "$top" $parameters -O3 --output-split-cfuncs 300 -Mdir "$work" \
        -y "$design" "$here/public.vlt" "$design/$top.v" && compile_all || die "the build for $size failed"
    touch -r "$cache/stamp" "$work/runner"  # a source that changes meanwhile is then newer than the runner
    mv "$work/runner" "$runner" && rm -rf "$work"
) >&2

# become OPTION...
become() {
    up_to_date || build || exit 2
    [ $build_only = no ] || exit 0
    exec "$runner" "$@"
}
