//! Lampshade's sort of u32 keys as functions of a web page.
use lampshade::{Context, Sorter};
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

#[wasm_bindgen]
pub struct PageSorter(Context);

#[wasm_bindgen]
pub async fn open() -> Result<PageSorter, JsError> {
    Ok(PageSorter(Context::init().await?))
}

#[wasm_bindgen]
impl PageSorter {
    pub async fn sort(&self, keys: Vec<u32>) -> Result<Vec<u32>, JsError> {
        Ok(Sorter::from_context(&self.0).sort(&keys).await?)
    }
}
