package leader

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"strings"
	"time"
)

// Options configures an Elector. Only Name is required.
type Options struct {
	// Namespace is the namespace of the Lease. Default: the namespace of the pod.
	Namespace string
	// Name is the name of the Lease. It must be the same for all replicas of a program
	// and different for each program.
	Name string

	// Identity is the holder identity of this process in the Lease. It must be unique
	// for each run of each process: a process that finds its own identity in a Lease
	// that it has not written waits as for any other holder, even if its previous run
	// wrote the Lease. Default: the host name, which in a pod is the pod's name, with
	// a random suffix.
	Identity string

	// LeaseDuration is how long other candidates wait, after the last renewal that
	// they observed, before they take the Lease. It is written to the Lease in
	// seconds, rounded up. Default: 15 seconds.
	LeaseDuration time.Duration
	// RenewDeadline is how long after its last renewal a leader stops leading.
	// LeaseDuration minus RenewDeadline is the time in which lead must return.
	// Default: 10 seconds.
	RenewDeadline time.Duration
	// RetryPeriod is the interval at which the leader renews the Lease and candidates
	// read it. Default: 2 seconds.
	RetryPeriod time.Duration

	// OnNewLeader is called with the identity of each new leader, including this
	// process, and with "" when the Lease was released. Calls do not overlap, and Run
	// waits for the last one. If the leader changes several times during a call, only
	// the latest is reported. Default: none.
	OnNewLeader func(identity string)

	// Logger receives log output. Default: [slog.Default].
	Logger *slog.Logger
}

// jitterFactor is the maximum of a jittered delay relative to the delay itself, so
// that processes that were started together do not send requests together.
const jitterFactor = 1.2

// namespaceFile contains the namespace of the pod.
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// withDefaults returns the options with defaults filled in, or all errors in them.
func (o Options) withDefaults(namespaceFile string) (Options, error) {
	var errs []error
	invalid := func(format string, args ...any) {
		errs = append(errs, optionError(format, args...))
	}
	if o.Name == "" {
		invalid("Name is empty: set the name of the Lease that all replicas of the program share")
	}
	if o.Namespace == "" {
		text, err := os.ReadFile(namespaceFile)
		if o.Namespace = strings.TrimSpace(string(text)); o.Namespace == "" {
			invalid("Namespace is empty, and this process does not run in a pod (%s: %v): set the namespace of the Lease", namespaceFile, err)
		}
	}
	if strings.TrimSpace(o.Identity) != o.Identity {
		invalid("Identity %q begins or ends with a space", o.Identity)
	}
	if o.Identity == "" {
		host, err := os.Hostname()
		if err != nil || host == "" {
			host = "unknown"
		}
		o.Identity = host + "_" + strings.ToLower(rand.Text())
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	orDefault(&o.LeaseDuration, 15*time.Second)
	orDefault(&o.RenewDeadline, 10*time.Second)
	orDefault(&o.RetryPeriod, 2*time.Second)
	switch longest := time.Duration(float64(o.RetryPeriod) * jitterFactor); {
	case o.LeaseDuration < 0 || o.RenewDeadline < 0 || o.RetryPeriod < 0:
		invalid("a duration is negative: LeaseDuration %v, RenewDeadline %v, RetryPeriod %v", o.LeaseDuration, o.RenewDeadline, o.RetryPeriod)
	case o.LeaseDuration > math.MaxInt32*time.Second:
		invalid("LeaseDuration %v is more than a Lease can store", o.LeaseDuration)
	case o.LeaseDuration <= o.RenewDeadline:
		invalid("LeaseDuration %v must be longer than RenewDeadline %v: a leader must stop before others may lead", o.LeaseDuration, o.RenewDeadline)
	case o.RenewDeadline <= longest:
		invalid("RenewDeadline %v must be longer than %v, which is %v times RetryPeriod: a renewal may fail once", o.RenewDeadline, longest, jitterFactor)
	}
	return o, errors.Join(errs...)
}

// optionError returns an ErrOptions with details.
func optionError(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrOptions, fmt.Errorf(format, args...))
}

func orDefault(v *time.Duration, value time.Duration) {
	if *v == 0 {
		*v = value
	}
}

// seconds returns a duration for a Lease. It is rounded up, since a shorter one would
// let others take the Lease before its holder gives up.
func seconds(d time.Duration) int32 { return int32((d + time.Second - 1) / time.Second) }
