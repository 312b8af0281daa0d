package apitest

import (
	"net/url"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// listOptions is what the parameters of a list ask for.
type listOptions struct {
	// version at which the list is to be; 0 is the newest. atLeast is what the
	// newest has to have reached.
	version, atLeast uint64
	// limit of the objects; 0 is none.
	limit int
	// next is where to go on; nil is at the beginning.
	next *continuation
}

// parseList reads the parameters of a list.
func parseList(query url.Values) (o listOptions, err error) {
	asked := metav1.ListOptions{
		ResourceVersion:      query.Get("resourceVersion"),
		ResourceVersionMatch: metav1.ResourceVersionMatch(query.Get("resourceVersionMatch")),
		Continue:             query.Get("continue"),
	}
	if query.Has("sendInitialEvents") {
		asked.SendInitialEvents = new(isSet(query, "sendInitialEvents"))
	}
	if _, err = parseNumber(query, "timeoutSeconds"); err != nil {
		return o, err
	}
	limit, err := parseNumber(query, "limit")
	if err != nil {
		return o, err
	}
	if complaints := validateList(&asked); len(complaints) > 0 {
		return o, apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", complaints)
	}
	if limit > 0 {
		o.limit = int(min(limit, 1<<30))
	}
	if asked.Continue != "" {
		return o, o.goOn(asked)
	}
	version, err := parseVersion(asked.ResourceVersion)
	if err != nil {
		return o, apierrors.NewBadRequest("invalid resource version: " + err.Error())
	}
	switch {
	case asked.ResourceVersionMatch == metav1.ResourceVersionMatchExact,
		asked.ResourceVersionMatch == "" && o.limit > 0 && version > 0:
		o.version = version
	case asked.ResourceVersion == "0":
		o.limit = 0 // any version will do: it comes from memory, which knows no pages
	default:
		o.atLeast = version
	}
	return o, nil
}

// goOn takes up a list where its last page ended.
func (o *listOptions) goOn(asked metav1.ListOptions) error {
	next, err := parseContinue(asked.Continue)
	if err != nil {
		return apierrors.NewBadRequest("invalid continue token: " + err.Error())
	}
	if asked.ResourceVersion != "" && asked.ResourceVersion != "0" {
		return apierrors.NewBadRequest("specifying resource version is not allowed when using continue")
	}
	o.next, o.version = &next, uint64(max(next.Version, 0))
	if asked.ResourceVersion == "0" {
		o.limit = 0
	}
	return nil
}

func parseNumber(query url.Values, name string) (int64, error) {
	if !query.Has(name) {
		return 0, nil
	}
	number, err := strconv.ParseInt(query.Get(name), 10, 64)
	if err != nil {
		return 0, apierrors.NewBadRequest(err.Error())
	}
	return number, nil
}

// forgotten is the answer to a list of a version that is not known any more. A
// list that has begun can go on with what there is now.
func (o *listOptions) forgotten() error {
	if o.next == nil {
		return apierrors.NewResourceExpired("The resourceVersion for the provided list is too old.")
	}
	const advice = "The provided continue parameter is too old to display a consistent list result. " +
		"You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
		"Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted " +
		"between the time the first chunk was returned and now may show up in the list."
	err := apierrors.NewResourceExpired(advice)
	err.ErrStatus.Continue = continuation{Version: -1, Start: o.next.Start}.String()
	return err
}
