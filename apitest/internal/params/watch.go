package params

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/thinformer/thinformer/apitest/internal/storage"
)

// Start is the starting point of a watch.
type Start int

const (
	// FromVersion sends the changes after a version.
	FromVersion Start = iota
	// FromNow sends the changes from now on.
	FromNow
	// FromState sends the current state first, as ADDED events.
	FromState
)

// WatchOptions are the parameters of a watch.
type WatchOptions struct {
	Start Start
	// Version after which changes are sent or, with FromState, that the state must
	// have reached; 0 is any.
	Version uint64
	// Bookmarks are sent periodically. With InitialEventsEnd, a bookmark marks the
	// end of the initial events.
	Bookmarks, InitialEventsEnd bool
	Timeout                     time.Duration
}

// ParseWatch parses the parameters of a watch. The deprecated paths contain the
// word watch instead of the parameter; their options are validated as those of
// a list.
func ParseWatch(query url.Values) (WatchOptions, error) {
	asked := metav1.ListOptions{
		Watch:                isSet(query, "watch"),
		ResourceVersion:      query.Get("resourceVersion"),
		ResourceVersionMatch: metav1.ResourceVersionMatch(query.Get("resourceVersionMatch")),
		Continue:             query.Get("continue"),
		AllowWatchBookmarks:  isSet(query, "allowWatchBookmarks"),
	}
	if query.Has("sendInitialEvents") {
		send := isSet(query, "sendInitialEvents")
		asked.SendInitialEvents = &send
	}
	timeout, err := parseTimeout(query)
	if err != nil {
		return WatchOptions{}, err
	}
	present := asked.ResourceVersion == "" || asked.ResourceVersion == "0"
	if asked.Watch && present && asked.SendInitialEvents == nil && asked.ResourceVersionMatch == "" {
		asked.SendInitialEvents, asked.ResourceVersionMatch = new(true), metav1.ResourceVersionMatchNotOlderThan
	}
	validate := validateList
	if asked.Watch {
		validate = validateWatch
	}
	if complaints := validate(&asked); len(complaints) > 0 {
		return WatchOptions{}, apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", complaints)
	}
	options := WatchOptions{Bookmarks: asked.AllowWatchBookmarks, Timeout: timeout}
	if options.Version, err = ParseVersion(asked.ResourceVersion); err != nil {
		return WatchOptions{}, err
	}
	switch {
	case asked.SendInitialEvents != nil && *asked.SendInitialEvents:
		options.Start, options.InitialEventsEnd = FromState, asked.AllowWatchBookmarks
	case options.Version > 0:
		options.Start = FromVersion
	case asked.SendInitialEvents != nil:
		options.Start = FromNow
	default:
		options.Start = FromState
	}
	return options, nil
}

// validateWatch returns the invalid options of a watch.
func validateWatch(asked *metav1.ListOptions) (complaints field.ErrorList) {
	path, match := field.NewPath("resourceVersionMatch"), asked.ResourceVersionMatch
	if asked.SendInitialEvents != nil && match != metav1.ResourceVersionMatchNotOlderThan {
		complaints = append(complaints, field.Forbidden(path, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"))
	}
	if match == "" {
		return complaints
	}
	if asked.SendInitialEvents == nil {
		complaints = append(complaints, field.Forbidden(path, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"))
	}
	if match != metav1.ResourceVersionMatchNotOlderThan {
		complaints = append(complaints, field.NotSupported(path, match, []string{string(metav1.ResourceVersionMatchNotOlderThan)}))
	}
	if asked.Continue != "" {
		complaints = append(complaints, field.Forbidden(path, "resourceVersionMatch is forbidden when continue is provided"))
	}
	return complaints
}

// validateList returns the invalid options of a list.
func validateList(asked *metav1.ListOptions) (complaints field.ErrorList) {
	path, match := field.NewPath("resourceVersionMatch"), asked.ResourceVersionMatch
	if match != "" {
		if asked.ResourceVersion == "" {
			complaints = append(complaints, field.Forbidden(path, "resourceVersionMatch is forbidden unless resourceVersion is provided"))
		}
		if asked.Continue != "" {
			complaints = append(complaints, field.Forbidden(path, "resourceVersionMatch is forbidden when continue is provided"))
		}
		if match != metav1.ResourceVersionMatchExact && match != metav1.ResourceVersionMatchNotOlderThan {
			complaints = append(complaints, field.NotSupported(path, match, []string{string(metav1.ResourceVersionMatchExact), string(metav1.ResourceVersionMatchNotOlderThan), ""}))
		}
		if match == metav1.ResourceVersionMatchExact && asked.ResourceVersion == "0" {
			complaints = append(complaints, field.Forbidden(path, `resourceVersionMatch "exact" is forbidden for resourceVersion "0"`))
		}
	}
	if asked.SendInitialEvents != nil {
		complaints = append(complaints, field.Forbidden(field.NewPath("sendInitialEvents"), "sendInitialEvents is forbidden for list"))
	}
	return complaints
}

// ParseVersion parses a resource version; "" is 0. An invalid version is an
// internal error, as in kube-apiserver.
func ParseVersion(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	version, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		complaint := field.Invalid(field.NewPath("resourceVersion"), text, err.Error())
		return 0, &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Message: complaint.Error(), Code: http.StatusInternalServerError,
		}}
	}
	return version, nil
}

// parseTimeout returns the duration of a watch. The default is between 30 and
// 60 minutes, at random, so that watches that begin together do not end
// together.
func parseTimeout(query url.Values) (time.Duration, error) {
	const least = 30 * time.Minute
	seconds, err := parseNumber(query, "timeoutSeconds")
	if err != nil {
		return 0, err
	}
	if seconds == 0 {
		return least + rand.N(least), nil
	}
	const maxSeconds = int64(1<<63-1) / int64(time.Second)
	return time.Duration(min(seconds, maxSeconds)) * time.Second, nil
}

// isSet reports whether a parameter is true: present, and neither 0 nor false.
func isSet(query url.Values, name string) bool {
	values := query[name]
	return len(values) > 0 && values[0] != "0" && !strings.EqualFold(values[0], "false")
}

// ExpiredError returns the error for a watch from an expired version. For events,
// the real server has no watch cache, and the message is that of etcd.
func ExpiredError(e storage.TooOld, resource string) *apierrors.StatusError {
	if resource == "events" {
		return apierrors.NewResourceExpired("The resourceVersion for the provided watch is too old.")
	}
	return apierrors.NewResourceExpired(e.Error())
}

// TooLargeError returns the error for a future version.
func TooLargeError(e storage.TooNew) *apierrors.StatusError {
	err := apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", e.Asked, e.Newest), 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}
	return err
}
