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

// Options says what is contended for, and by whom. Only Name must be set.
type Options struct {
	// Namespace of the Lease. Default: that of the pod.
	Namespace string
	// Name of the Lease, the same for all replicas of a program, and for no
	// other.
	Name string

	// Identity is what this process is called in the Lease. It names one run of
	// one process: two that share one take each other for strangers, and so does
	// a process for the one that it was before. Default: the host's name, which
	// is that of the pod, and a random suffix.
	Identity string

	// LeaseDuration is how long others wait, after the last renewal that they
	// have seen, until they take the Lease. It is written into it in seconds,
	// rounded up. Default: 15 seconds.
	LeaseDuration time.Duration
	// RenewDeadline is how long after its last renewal a leader still is one.
	// What is left of LeaseDuration is the time in which lead must return.
	// Default: 10 seconds.
	RenewDeadline time.Duration
	// RetryPeriod is how often the leader renews, and the others look.
	// Default: 2 seconds.
	RetryPeriod time.Duration

	// OnNewLeader is told who leads, this process included; "" is nobody, after
	// the Lease was given back. Calls do not overlap, and Run waits for the last.
	// Who comes and goes while one is under way is passed over. Default: nobody
	// is told.
	OnNewLeader func(identity string)

	// Logger is where changes and problems are logged. Default: [slog.Default].
	Logger *slog.Logger
}

// jitterFactor is how much longer than RetryPeriod a wait may be: those who
// were started together should not ask together.
const jitterFactor = 1.2

// namespaceFile is where a pod finds its namespace.
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// withDefaults are the options with what was left out, or all that is wrong
// with them.
func (o Options) withDefaults(namespaceFile string) (Options, error) {
	var complaints []error
	complain := func(format string, args ...any) {
		complaints = append(complaints, wrong(format, args...))
	}
	if o.Name == "" {
		complain("Name is empty: the replicas of a program need a Lease that they all know")
	}
	if o.Namespace == "" {
		text, err := os.ReadFile(namespaceFile)
		if o.Namespace = strings.TrimSpace(string(text)); o.Namespace == "" {
			complain("Namespace is empty, and this process is in no pod that could tell it (%s: %v)", namespaceFile, err)
		}
	}
	if strings.TrimSpace(o.Identity) != o.Identity {
		complain("Identity %q begins or ends with a space", o.Identity)
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
		complain("a duration is negative: LeaseDuration %v, RenewDeadline %v, RetryPeriod %v", o.LeaseDuration, o.RenewDeadline, o.RetryPeriod)
	case o.LeaseDuration > math.MaxInt32*time.Second:
		complain("LeaseDuration %v is more than a Lease can say", o.LeaseDuration)
	case o.LeaseDuration <= o.RenewDeadline:
		complain("LeaseDuration %v must be longer than RenewDeadline %v: a leader has to know that it no longer leads before others do", o.LeaseDuration, o.RenewDeadline)
	case o.RenewDeadline <= longest:
		complain("RenewDeadline %v must be longer than %v, which is %v times RetryPeriod: a renewal may fail once", o.RenewDeadline, longest, jitterFactor)
	}
	return o, errors.Join(complaints...)
}

// wrong is what is wrong with the options.
func wrong(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrOptions, fmt.Errorf(format, args...))
}

func orDefault(v *time.Duration, value time.Duration) {
	if *v == 0 {
		*v = value
	}
}

// seconds is a duration as a Lease says it: never less than was meant, or others
// would take the Lease from under its holder.
func seconds(d time.Duration) int32 { return int32((d + time.Second - 1) / time.Second) }
