! Fit amplitude * exp(-rate * t) + floor to measured values, from Fortran.
!
! cargo build --release -p enes-c
! gfortran crates/enes-c/examples/fit.f90 -L target/release -lenes_c -o fit
! LD_LIBRARY_PATH=target/release ./fit

! What the program needs of enes.h.
module enes
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    function enes_new(dimension, x0, sigma0, settings) bind(c) result(es)
      import :: c_ptr, c_size_t, c_double, c_char
      integer(c_size_t), value :: dimension
      real(c_double), intent(in) :: x0(*)
      real(c_double), value :: sigma0
      character(kind=c_char), intent(in) :: settings(*)
      type(c_ptr) :: es
    end function
    function enes_ask(es, count) bind(c) result(points)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: es
      integer(c_size_t), intent(out) :: count
      type(c_ptr) :: points
    end function
    function enes_tell(es, values, count) bind(c) result(taken)
      import :: c_ptr, c_size_t, c_double, c_bool
      type(c_ptr), value :: es
      real(c_double), intent(in) :: values(*)
      integer(c_size_t), value :: count
      logical(c_bool) :: taken
    end function
    function enes_stopped(es) bind(c) result(stopped)
      import :: c_ptr, c_bool
      type(c_ptr), value :: es
      logical(c_bool) :: stopped
    end function
    function enes_best(es, x) bind(c) result(value)
      import :: c_ptr, c_double
      type(c_ptr), value :: es
      real(c_double), intent(out) :: x(*)
      real(c_double) :: value
    end function
    function enes_evaluations(es) bind(c) result(count)
      import :: c_ptr, c_int64_t
      type(c_ptr), value :: es
      integer(c_int64_t) :: count
    end function
    subroutine enes_free(es) bind(c)
      import :: c_ptr
      type(c_ptr), value :: es
    end subroutine
  end interface
end module

program fit
  use enes
  implicit none
  real(c_double), parameter :: times(6) = [0d0, 1d0, 2d0, 4d0, 8d0, 16d0]
  real(c_double), parameter :: measured(6) = [5.02d0, 3.91d0, 3.09d0, 2.02d0, 1.18d0, 0.79d0]
  type(c_ptr) :: es, at
  real(c_double) :: best(3), misfit
  real(c_double), pointer :: points(:, :)
  real(c_double), allocatable :: answers(:)
  integer(c_size_t) :: count, i

  ! The rate is positive: it is searched by its logarithm.
  es = enes_new(3_c_size_t, [1d0, 0.1d0, 0d0], 1d0, &
                "log_scale = [false, true, false]" // c_new_line // "seed = 1" // c_null_char)
  if (.not. c_associated(es)) error stop "the settings cannot be used"
  do while (.not. enes_stopped(es))
    at = enes_ask(es, count)
    call c_f_pointer(at, points, [3_c_size_t, count]) ! a column is a point
    answers = [(sum((points(1, i) * exp(-points(2, i) * times) + points(3, i) - measured)**2), i = 1, count)]
    if (.not. enes_tell(es, answers, count)) error stop "the values were not taken"
  end do
  misfit = enes_best(es, best)
  print '(i0, a)', enes_evaluations(es), " evaluations"
  print '(a, f8.6, a, f6.4, a, f6.4, a, f6.4)', &
    "misfit ", misfit, ": amplitude ", best(1), ", rate ", best(2), ", floor ", best(3)
  call enes_free(es)
end program
