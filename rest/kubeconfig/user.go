package kubeconfig

import (
	"errors"
	"fmt"

	"github.com/thinformer/thinformer/rest"
)

// user is an entry of users: credentials and the impersonated user.
type user struct {
	origin                       string
	certFile, keyFile, tokenFile string
	certData, keyData            []byte
	token, username, password    string
	impersonate                  rest.ImpersonationConfig
	exec                         *rest.ExecConfig
	authProvider                 string
	hasAuthProvider              bool
}

func readUser(n node, origin, dir string) *user {
	u := &user{
		origin:    origin,
		certFile:  resolvePath(dir, n.field("client-certificate").stringValue()),
		keyFile:   resolvePath(dir, n.field("client-key").stringValue()),
		tokenFile: resolvePath(dir, n.field("tokenFile").stringValue()),
		certData:  n.field("client-certificate-data").base64Value(),
		keyData:   n.field("client-key-data").base64Value(),
		token:     n.field("token").stringValue(),
		username:  n.field("username").stringValue(),
		password:  n.field("password").stringValue(),
		impersonate: rest.ImpersonationConfig{
			UserName: n.field("as").stringValue(),
			UID:      n.field("as-uid").stringValue(),
			Groups:   n.field("as-groups").stringList(),
			Extra:    n.field("as-user-extra").stringLists(),
		},
	}
	if provider := n.field("auth-provider").mapping(); provider.exists() {
		u.hasAuthProvider, u.authProvider = true, provider.field("name").stringValue()
	}
	if exec := n.field("exec").mapping(); exec.exists() {
		u.exec = readExec(exec, dir)
	}
	return u
}

// apply sets the credentials of config. The cluster has been applied before.
func (u *user) apply(config *rest.Config, target *cluster) error {
	impersonate := u.impersonate
	if impersonate.UserName == "" && (impersonate.UID != "" || len(impersonate.Groups) > 0 || len(impersonate.Extra) > 0) {
		return errors.New("as-uid, as-groups and as-user-extra require as")
	}
	config.Impersonate = impersonate
	if !target.usesTLS() {
		if target.lacksScheme() && (u.hasCredentials() || u.keyFile != "" || u.keyData != nil || u.exec != nil || u.hasAuthProvider) {
			return fmt.Errorf("credentials require https: %w", errNoScheme)
		}
		return nil
	}
	if u.hasAuthProvider {
		return fmt.Errorf("auth-provider %q: Kubernetes no longer supports auth providers; use an exec plugin", truncate(u.authProvider))
	}
	if err := u.applyCertificate(&config.TLS); err != nil {
		return err
	}
	if err := u.applyTokenAndPassword(config); err != nil {
		return err
	}
	if u.exec == nil {
		return nil
	}
	if err := checkExec(u.exec); err != nil || u.hasCredentials() {
		return err
	}
	return applyExec(config, *u.exec, target)
}

// hasCredentials reports whether the user has credentials and needs no plugin.
func (u *user) hasCredentials() bool {
	return u.token != "" || u.tokenFile != "" || u.username != "" || u.certFile != "" || u.certData != nil
}

func (u *user) applyTokenAndPassword(config *rest.Config) error {
	switch {
	case u.username != "" && (u.token != "" || u.tokenFile != ""):
		return errors.New("token and username are mutually exclusive")
	case u.username == "" && u.password != "":
		return errors.New("password requires username")
	}
	config.Username, config.Password = u.username, u.password
	config.BearerToken, config.BearerTokenFile = u.token, u.tokenFile
	return checkReadable("tokenFile", u.tokenFile)
}

func (u *user) applyCertificate(tls *rest.TLSConfig) error {
	hasCert := u.certFile != "" || u.certData != nil
	hasKey := u.keyFile != "" || u.keyData != nil
	switch {
	case hasCert && !hasKey:
		return errors.New("client-certificate requires client-key")
	case hasKey && !hasCert:
		return errors.New("client-key requires client-certificate")
	}
	tls.CertData, tls.KeyData = u.certData, u.keyData
	if u.certData == nil {
		tls.CertFile = u.certFile
	}
	if u.keyData == nil {
		tls.KeyFile = u.keyFile
	}
	if err := checkReadable("client-certificate", tls.CertFile); err != nil {
		return err
	}
	return checkReadable("client-key", tls.KeyFile)
}
