package apitest

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	administrators  = "system:masters"
	authenticated   = "system:authenticated"
	unauthenticated = "system:unauthenticated"
	anonymous       = "system:anonymous"
)

// public paths may be read without a user, unless Authorize decides otherwise.
var public = []string{"/healthz", "/livez", "/readyz", "/version", "/version/"}

// admit authenticates and authorizes the request.
func (c *call) admit(isResource bool) (err error) {
	if c.user, err = c.server.authenticate(c.r); err != nil {
		return err
	}
	attributes := c.attributes(isResource)
	if c.user, err = c.server.impersonate(c.user, c.r, attributes); err != nil {
		return err
	}
	attributes.User = c.user
	recordUser(c.w, c.user)
	if allowed, reason := c.server.allows(attributes); !allowed {
		c.w.Header().Set("X-Content-Type-Options", "nosniff")
		return forbidden(attributes, reason)
	}
	if warn := c.server.options.Warn; warn != nil {
		for _, text := range warn(attributes) {
			c.warn(text)
		}
	}
	return nil
}

// attributes returns the attributes of the request.
func (c *call) attributes(isResource bool) Attributes {
	a := Attributes{User: c.user, Verb: c.verb, Path: c.r.URL.Path, Request: c.r}
	if !isResource {
		return a
	}
	a.Group, a.Version, a.Resource, a.Subresource = c.Group, c.Version, c.Resource, c.Subresource
	a.Namespace, a.Name = c.Namespace, c.Name
	switch {
	case c.Group == "" && c.Resource == "namespaces":
		a.Namespace = c.Name // a namespace is in itself
	case c.Name == "" && (c.verb == "list" || c.verb == "watch"):
		// A list selected by one name is a request for that object.
		if selector, err := fields.ParseSelector(c.query.Get("fieldSelector")); err == nil {
			a.Name, _ = selector.RequiresExactMatch("metadata.name")
		}
	}
	return a
}

// authenticate returns the user of a token.
func (s *Server) authenticate(r *http.Request) (User, error) {
	scheme, token, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	token = strings.TrimSpace(token)
	bears := strings.EqualFold(scheme, "bearer") && token != ""
	if _, gone := s.expired.Load(token); bears && gone {
		return User{}, apierrors.NewUnauthorized("Unauthorized")
	}
	if s.options.Tokens == nil || bears && token == s.token {
		return User{Name: "admin", Groups: []string{administrators, authenticated}}, nil
	}
	if !bears {
		return User{Name: anonymous, Groups: []string{unauthenticated}}, nil
	}
	user, known := s.options.Tokens[token]
	if !known {
		return User{}, apierrors.NewUnauthorized("Unauthorized")
	}
	if !slices.Contains(user.Groups, authenticated) {
		user.Groups = append(slices.Clone(user.Groups), authenticated)
	}
	return user, nil
}

// ExpireToken makes the server reject requests with the token, with 401, from
// now on.
func (s *Server) ExpireToken(token string) { s.expired.Store(token, struct{}{}) }

// RestoreToken undoes ExpireToken.
func (s *Server) RestoreToken(token string) { s.expired.Delete(token) }

// impersonate returns the user to act as, according to the Impersonate-
// headers.
func (s *Server) impersonate(user User, r *http.Request, attributes Attributes) (User, error) {
	impersonated := User{
		Name: r.Header.Get("Impersonate-User"), UID: r.Header.Get("Impersonate-Uid"),
		Groups: slices.Clone(r.Header.Values("Impersonate-Group")), Extra: impersonatedExtra(r.Header),
	}
	switch {
	case impersonated.Name == "" && impersonated.UID == "" && impersonated.Groups == nil && impersonated.Extra == nil:
		return user, nil
	case impersonated.Name == "":
		return user, apierrors.NewBadRequest(fmt.Sprintf("requested &user.DefaultInfo{Name:%q, UID:%q, Groups:%#v, Extra:%#v} without impersonating a user name", impersonated.Name, impersonated.UID, impersonated.Groups, impersonated.Extra))
	}
	// Impersonation is authorized as the verb impersonate on users.
	impersonation := Attributes{User: user, Verb: "impersonate", Version: "v1", Resource: "users", Name: impersonated.Name, Path: attributes.Path, Request: r}
	if !slices.Contains(user.Groups, administrators) {
		if s.options.Authorize == nil {
			return user, impersonationForbidden(impersonated, attributes, impersonation, "")
		}
		if allowed, reason := s.options.Authorize(impersonation); !allowed {
			return user, impersonationForbidden(impersonated, attributes, impersonation, reason)
		}
	}
	impersonated.Groups = impersonatedGroups(impersonated)
	return impersonated, nil
}

// impersonationForbidden returns the error for a user that may not impersonate.
// For an ordinary user, the message names the requested action, since the real
// server first checks whether that action may be impersonated.
func impersonationForbidden(impersonated User, attributes, impersonation Attributes, reason string) error {
	if strings.HasPrefix(impersonated.Name, "system:node:") || strings.HasPrefix(impersonated.Name, "system:serviceaccount:") {
		return forbidden(impersonation, reason)
	}
	attributes.User, attributes.Verb = impersonation.User, "impersonate-on:user-info:"+attributes.Verb
	return forbidden(attributes, reason)
}

// impersonatedGroups returns the requested groups, and those that follow from
// the user name.
func impersonatedGroups(impersonated User) []string {
	groups := impersonated.Groups
	if account, isServiceAccount := strings.CutPrefix(impersonated.Name, "system:serviceaccount:"); isServiceAccount && len(groups) == 0 {
		namespace, _, _ := strings.Cut(account, ":")
		groups = append(groups, "system:serviceaccounts", "system:serviceaccounts:"+namespace)
	}
	group := authenticated
	if impersonated.Name == anonymous {
		group = unauthenticated
	}
	if !slices.Contains(groups, group) {
		groups = append(groups, group)
	}
	return groups
}

func impersonatedExtra(headers http.Header) (extra map[string][]string) {
	for name, values := range headers {
		const prefix = "Impersonate-Extra-"
		if len(name) <= len(prefix) || name[:len(prefix)] != prefix {
			continue
		}
		field := strings.ToLower(name[len(prefix):])
		if plain, err := url.PathUnescape(field); err == nil {
			field = plain
		}
		if extra == nil {
			extra = map[string][]string{}
		}
		extra[field] = append(extra[field], values...)
	}
	return extra
}

// allows reports whether a request is authorized.
func (s *Server) allows(attributes Attributes) (allowed bool, reason string) {
	if s.options.Authorize != nil {
		return s.options.Authorize(attributes)
	}
	return attributes.User.Name != anonymous || attributes.Verb == "get" && slices.Contains(public, attributes.Path), ""
}

// forbidden returns the error for a request that is not authorized.
func forbidden(attributes Attributes, reason string) error {
	message := fmt.Sprintf("User %q cannot %s path %q", attributes.User.Name, attributes.Verb, attributes.Path)
	if attributes.Resource != "" {
		resource := attributes.Resource
		if attributes.Subresource != "" {
			resource += "/" + attributes.Subresource
		}
		where := "at the cluster scope"
		if attributes.Namespace != "" {
			where = fmt.Sprintf("in the namespace %q", attributes.Namespace)
		}
		message = fmt.Sprintf("User %q cannot %s resource %q in API group %q %s", attributes.User.Name, attributes.Verb, resource, attributes.Group, where)
	}
	message = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(message)
	if reason != "" {
		message += ": " + reason
	}
	return apierrors.NewForbidden(schema.GroupResource{Group: attributes.Group, Resource: attributes.Resource}, attributes.Name, errors.New(message))
}
