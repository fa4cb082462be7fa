// Runs a program's constructors. Before 2.34 glibc left that to a function that the program passed to it; Debian 12's
// startup code passes none, because later versions need none. They call it too if they get one.
typedef int Main(int, char**, char**);
typedef void Start(int, char**, char**);
int __real___libc_start_main(Main*, int, char**, Start*, void (*)(void), void (*)(void), void*);

extern void _init(void);
extern Start* __init_array_start[] __attribute__((visibility("hidden")));
extern Start* __init_array_end[] __attribute__((visibility("hidden")));

static void RunConstructors(int argc, char** argv, char** environment) {
  _init();
  for (Start** each = __init_array_start; each != __init_array_end; ++each) (*each)(argc, argv, environment);
}

int __wrap___libc_start_main(Main* main, int argc, char** argv, Start* init, void (*fini)(void),
                             void (*rtld_fini)(void), void* stack_end) {
  (void)init;
  return __real___libc_start_main(main, argc, argv, RunConstructors, fini, rtld_fini, stack_end);
}
