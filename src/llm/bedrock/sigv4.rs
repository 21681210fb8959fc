//! Signing requests with the credentials of the AWS environment: variables, profiles, roles (feature `bedrock-sigv4`).

use crate::calls::{CallError, CallErrorKind};
use crate::text;
use aws_config::BehaviorVersion;
use aws_credential_types::Credentials;
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider};
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4;
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{RequestBuilder, Url};
use std::time::{Duration, SystemTime};
use tokio::sync::Mutex;

/// Credentials that end so soon are fetched anew.
const SOON: Duration = Duration::from_secs(60);

/// Signs for one region.
pub struct Signer {
    region: String,
    /// What was found last: fetching may ask a server.
    found: Mutex<Option<(SharedCredentialsProvider, Credentials)>>,
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signer").field("region", &self.region).finish_non_exhaustive()
    }
}

impl Signer {
    /// For the region in the host's name; for other hosts (proxies) the one of `AWS_REGION`.
    pub fn new(url: &Url) -> Self {
        let named = url.host_str().and_then(|host| host.strip_prefix("bedrock-runtime.")?.split('.').next());
        let set = || ["AWS_REGION", "AWS_DEFAULT_REGION"].into_iter().find_map(|name| std::env::var(name).ok());
        let region = named.map(str::to_owned).or_else(set).unwrap_or_else(|| "us-east-1".to_owned());
        Self { region, found: Mutex::default() }
    }

    /// `request`, signed with the credentials of the environment.
    ///
    /// # Errors
    /// `Key` when there are none; `Refused` when the request can't be signed.
    pub async fn sign(&self, request: RequestBuilder) -> Result<RequestBuilder, CallError> {
        let credentials = self.credentials().await?;
        self.sign_with(request, credentials, SystemTime::now())
    }

    async fn credentials(&self) -> Result<Credentials, CallError> {
        let mut found = self.found.lock().await;
        if let Some((_, known)) = &*found
            && known.expiry().is_none_or(|end| end > SystemTime::now() + SOON)
        {
            return Ok(known.clone());
        }
        let provider = match &*found {
            Some((provider, _)) => provider.clone(),
            None => self.provider().await.ok_or_else(|| missing("no source of credentials is set up"))?,
        };
        let fresh = provider.provide_credentials().await.map_err(|error| missing(&error.to_string()))?;
        *found = Some((provider, fresh.clone()));
        Ok(fresh)
    }

    async fn provider(&self) -> Option<SharedCredentialsProvider> {
        // The same TLS as everywhere else here: it needs no C build system.
        let tls = Provider::Rustls(CryptoMode::Ring);
        let http = aws_smithy_http_client::Builder::new().tls_provider(tls).build_https();
        let region = aws_config::Region::new(self.region.clone());
        aws_config::defaults(BehaviorVersion::latest()).http_client(http).region(region).load().await.credentials_provider()
    }

    fn sign_with(&self, request: RequestBuilder, credentials: Credentials, now: SystemTime) -> Result<RequestBuilder, CallError> {
        let (client, request) = request.build_split();
        let mut request = request.map_err(|_| unsigned("it can't be built"))?;
        let identity = credentials.into();
        let parameters = v4::SigningParams::builder()
            .identity(&identity)
            .region(&self.region)
            .name("bedrock")
            .time(now)
            .settings(SigningSettings::default())
            .build()
            .map_err(|error| unsigned(&error.to_string()))?
            .into();
        let headers = request.headers().iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
        let body = request.body().and_then(reqwest::Body::as_bytes).unwrap_or_default();
        let signable = SignableRequest::new(request.method().as_str(), request.url().as_str(), headers, SignableBody::Bytes(body));
        let signed = signable.and_then(|signable| sign(signable, &parameters)).map_err(|error| unsigned(&error.to_string()))?;
        let (instructions, _) = signed.into_parts();
        let (headers, _) = instructions.into_parts();
        for header in headers {
            let name = HeaderName::from_bytes(header.name().as_bytes()).map_err(|_| unsigned("a header has no name"))?;
            let mut value = HeaderValue::from_str(header.value()).map_err(|_| unsigned("a header has no value"))?;
            value.set_sensitive(true);
            request.headers_mut().insert(name, value);
        }
        Ok(RequestBuilder::from_parts(client, request))
    }
}

fn missing(why: &str) -> CallError {
    let why = text::one_line(why);
    let message = format!(
        "no AWS credentials were found ({}): set AWS_BEARER_TOKEN_BEDROCK, or AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        text::cut(&why, 200)
    );
    CallError::new(CallErrorKind::Key, message)
}

fn unsigned(why: &str) -> CallError {
    CallError::new(CallErrorKind::Refused, format!("the request can't be signed for AWS: {}", text::cut(&text::one_line(why), 200)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signed(url: &str, now: u64) -> reqwest::Request {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let signer = Signer::new(&Url::parse(url).unwrap());
        let request = reqwest::Client::builder().no_proxy().build().unwrap().post(url).body("{}");
        let credentials =
            Credentials::new("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", Some("session".to_owned()), None, "test");
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(now);
        signer.sign_with(request, credentials, now).unwrap().build().unwrap()
    }

    #[test]
    fn a_request_is_signed_for_its_region_and_time() {
        let url = "https://bedrock-runtime.eu-central-1.amazonaws.com/model/m-v1%3A0/converse";
        let request = signed(url, 1_440_938_160);
        let header = |name: &str| request.headers()[name].to_str().unwrap();
        assert!(
            header("authorization").starts_with("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/eu-central-1/bedrock/aws4_request, ")
        );
        assert_eq!((header("x-amz-date"), header("x-amz-security-token")), ("20150830T123600Z", "session"));
        assert_eq!(request.url().as_str(), url, "the address stays as it is");
        let later = signed(url, 1_440_938_161);
        assert_ne!(later.headers()["authorization"], request.headers()["authorization"]);
        assert!(!format!("{request:?}").contains("AKIDEXAMPLE"), "not shown");
    }
}
