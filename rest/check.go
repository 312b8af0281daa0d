package rest

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Check returns a configuration error that makes every request of the view fail,
// however often it is retried: T cannot be decoded into, the Client is closed, or
// the ResourceInfo is invalid. The error says how to fix it. Check returns nil if
// there is none, and sends nothing.
func (v *View[T]) Check() error {
	if v.err != nil {
		return v.err
	}
	err := v.info.check()
	if err == nil {
		err = v.inNamespace(v.rest().Get(), v.namespace).check()
	}
	if err == nil && v.client.conn.IsClosed() {
		err = fmt.Errorf("%w: create another one with rest.New, and close it after Run has returned", ErrClosed)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", v.info.Resource, err)
	}
	return nil
}

// check validates the names of a resource.
func (i ResourceInfo) check() error {
	switch {
	case i.Resource == "":
		return errors.New(`ResourceInfo.Resource is empty: it is the plural name in lower case, such as "deployments"`)
	case len(validation.IsDNS1123Subdomain(i.Resource)) > 0:
		return fmt.Errorf(`ResourceInfo.Resource is %q: it is the plural name in lower case, such as "deployments"; kubectl api-resources lists the names`, i.Resource)
	case i.Version == "":
		return errors.New(`ResourceInfo.Version is empty: it is the version alone, such as "v1"; kubectl api-resources lists it behind the group`)
	case len(validation.IsDNS1123Subdomain(i.Version)) > 0:
		return fmt.Errorf(`ResourceInfo.Version is %q: it is the version alone, such as "v1"`, i.Version)
	case i.Group != "" && len(validation.IsDNS1123Subdomain(i.Group)) > 0:
		return fmt.Errorf(`ResourceInfo.Group is %q: it is the group alone, such as "apps", and empty for core resources such as pods`, i.Group)
	}
	return nil
}
